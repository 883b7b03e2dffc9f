import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { InputProps } from '@/resource/fields/kind-interface'
import { QueryState } from '@/resource/query-state'
import { pickedTarget, presetQuery, readTarget } from '@/runs/targets/schedule-target'
import { type TargetPreset, useTargetPreset } from '@/runs/targets/target-data'
import { TargetPicker, TargetProblem, useTargetPicker } from '@/runs/targets/target-picker'
import { TargetSummary } from '@/runs/targets/target-summary'
import { useCompanyScope } from '@/session/use-company-scope'
import { useScheduledScript } from './use-scheduled-script'

/** On what a scheduled task runs: the picker of the run dialogs. */
export function TargetField(props: InputProps<'json'>) {
  // A colleague's newer target remounts the picker; this is the target that the form opened with.
  const last = useRef(JSON.stringify(props.value ?? null))
  const [version, setVersion] = useState(0)
  const text = JSON.stringify(props.value ?? null)
  useEffect(() => {
    if (text === last.current) return
    last.current = text
    setVersion((count) => count + 1)
  }, [text])
  const opened = useOpened(version, props.value)
  const wanted = presetQuery(readTarget(opened))
  const read = useTargetPreset(wanted.resource, wanted.ids)
  const preset = wanted.preset ?? read.data
  if (!preset) return <QueryState query={read} rows={2} />
  return (
    <Picker
      key={version}
      {...props}
      preset={preset}
      onChange={(next) => {
        last.current = JSON.stringify(next ?? null)
        props.onChange?.(next)
      }}
    />
  )
}

/** The value at each version of the picker: its own changes do not read the devices again. */
function useOpened(version: number, value: unknown): unknown {
  const [opened, setOpened] = useState({ version, value })
  if (opened.version === version) return opened.value
  setOpened({ version, value })
  return value
}

function Picker({ preset, ...props }: InputProps<'json'> & { preset: TargetPreset }) {
  const { t } = useTranslation(['schedules', 'devices', 'procedures'])
  const { companyId: scope } = useCompanyScope()
  const company = typeof props.record.company_id === 'string' ? props.record.company_id : scope
  const picker = useTargetPicker(company, preset)
  const script = useScheduledScript(props.record.procedure_id, company)
  const chosen = picker.choose(script)
  const picked = JSON.stringify(pickedTarget(picker))
  const { onChange } = props
  const sent = useRef(JSON.stringify(props.value ?? null))
  const send = useRef(onChange)
  send.current = onChange
  useEffect(() => {
    if (picked === sent.current || (picked === 'null' && sent.current === 'null')) return
    sent.current = picked
    send.current?.(JSON.parse(picked) as unknown)
  }, [picked])
  return (
    <div className="l-stack">
      <TargetPicker id={props.id ?? 'schedule-target'} picker={picker} companyId={company} />
      <TargetProblem chosen={chosen} mixed={t('target.mixed')} />
      {chosen.selection ? <TargetSummary selection={chosen.selection} script={script} /> : null}
      {picker.kind === 'view' || picker.kind === 'matching' ? (
        <span className="l-soft">{t('target.whenDue')}</span>
      ) : null}
    </div>
  )
}
