import StarFilled from '@ant-design/icons/es/icons/StarFilled'
import { useList } from '@refinedev/core'
import { Alert, Button, Form } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { createPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { clearErrors } from '@/resource/screens/form/clear-errors'
import { useErrorText } from '@/resource/use-error-text'
import { RecordSelect } from '@/runs/targets/record-select'
import { pickedTarget } from '@/runs/targets/schedule-target'
import type { TargetPreset } from '@/runs/targets/target-data'
import {
  TargetPicker,
  type TargetPickerState,
  TargetProblem,
  useTargetPicker,
} from '@/runs/targets/target-picker'
import { TargetSummary } from '@/runs/targets/target-summary'
import type { Target } from '@/runs/targets/targets'
import { useCompanyScope } from '@/session/use-company-scope'
import { useSingleCall } from '@/ui/use-single-call'
import { ApprovalNote } from './approval-note'
import { capOf, JobCap } from './job-cap'
import { expiresAt, JobExpiry, type JobHours } from './job-expiry'
import { ParameterFields } from './parameter-fields'
import { initialValues, toValues } from './parameters'
import { PROCEDURE_CHOICE, type ProcedureChoice, type ProcedureRow, toChoice } from './procedure-data'
import { useRunCall } from './run-call'
import { TypedConfirm } from './typed-confirm'

export type RunPreset = {
  procedure: ProcedureChoice | null
  targets: TargetPreset
  /** Values of an earlier run, without its secrets. */
  earlier?: Record<string, unknown>
}

export type StartedJob = {
  jobId: string
  companyId: string
  procedure: ProcedureChoice
  /** Null where the server found them. */
  targets: Target[] | null
}

type Props = { preset: RunPreset; onStarted: (job: StartedJob) => void; onClose: () => void }

type FormValues = {
  parameters?: Record<string, unknown>
  typed?: string
  hours?: JobHours
  max_running?: number | null
}

export function RunForm({ preset, onStarted, onClose }: Props) {
  const { t } = useTranslation('procedures')
  const { companyId: scope } = useCompanyScope()
  const errorText = useErrorText()
  const call = useRunCall()
  const [form] = Form.useForm<FormValues>()
  const [procedure, setProcedure] = useState(preset.procedure)
  const [failure, setFailure] = useState<unknown>(null)
  const [isStarting, setIsStarting] = useState(false)

  const picker = useTargetPicker(procedure?.company_id ?? scope, preset.targets)
  const chosen = picker.choose(procedure)
  const count = chosen.selection?.count ?? 0
  const isReady = procedure !== null && (chosen.isReady || (chosen.isMixed && count > 0))

  const start = useSingleCall(async (values: FormValues) => {
    if (procedure === null || !isReady) return
    setIsStarting(true)
    setFailure(null)
    const expires = expiresAt(values.hours)
    try {
      const { name, args } = chosen.callOf('run_procedure', {
        procedure_id: procedure.id,
        parameters: toValues(procedure.parameters, values.parameters ?? {}),
        ...capOf(values.max_running),
        ...(expires ? { expires_at: expires } : {}),
      })
      const jobId = await call<string>(name, args)
      onStarted({ jobId, companyId: procedure.company_id, procedure, targets: chosen.devices })
    } catch (error) {
      setFailure(error)
      setIsStarting(false)
    }
  })

  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark="optional"
      disabled={isStarting}
      initialValues={{
        parameters: procedure ? initialValues(procedure.parameters, preset.earlier) : {},
      }}
      onValuesChange={(changed) => clearErrors(form, changed)}
      onFinish={start}
    >
      <Form.Item label={t('run.procedure')} required htmlFor="run-procedure" extra={procedure?.description}>
        <ProcedureSelect
          id="run-procedure"
          value={procedure}
          companyId={chosen.company ?? scope}
          onChange={(next) => {
            setProcedure(next)
            form.setFieldsValue({ parameters: initialValues(next.parameters) })
          }}
        />
      </Form.Item>
      <Form.Item label={t('run.devices')} required htmlFor="run-devices">
        <TargetPicker
          id="run-devices"
          picker={picker}
          companyId={procedure?.company_id ?? chosen.company ?? scope}
        />
      </Form.Item>
      {procedure === null ? <TargetProblem chosen={chosen} mixed={t('run.mixed')} /> : null}
      {procedure !== null && chosen.isTooMany ? (
        <TargetProblem chosen={{ ...chosen, isMixed: false }} mixed="" />
      ) : null}
      {chosen.selection ? <TargetSummary selection={chosen.selection} script={procedure} /> : null}
      {procedure && !chosen.isTooMany ? <ApprovalNote procedure={procedure} chosen={chosen} /> : null}
      {procedure ? <ParameterFields parameters={procedure.parameters} /> : null}
      <JobExpiry />
      <JobCap count={count} />
      <TypedConfirm count={count} />
      {failure === null ? null : <FormAlert text={errorText(failure, t('run.failed'))} />}
      <div className="l-buttons-end">
        <Button onClick={onClose}>{t('run.cancel')}</Button>
        <ScheduleButton
          procedure={procedure}
          picker={picker}
          company={procedure?.company_id ?? chosen.company}
        />
        <Button type="primary" htmlType="submit" loading={isStarting} disabled={!isReady}>
          {count > 0 ? t('run.startOn', { count }) : t('run.start')}
        </Button>
      </div>
    </Form>
  )
}

interface ScheduleButtonProps {
  procedure: ProcedureChoice | null
  picker: TargetPickerState
  company: string | null
}

/** Opens the form of a new scheduled task with the script and the target of the dialog. */
function ScheduleButton({ procedure, picker, company }: ScheduleButtonProps) {
  const { t } = useTranslation('procedures')
  const navigate = useNavigate()
  const location = useLocation()
  const tasks = findDefinition('scheduled_tasks')
  if (!tasks) return null
  const target = pickedTarget(picker)
  const preset = {
    ...(procedure ? { procedure_id: procedure.id, name: procedure.name.slice(0, 120) } : {}),
    ...(target ? { target } : {}),
    ...(company ? { company_id: company } : {}),
  }
  const from = `${location.pathname}${location.search}`
  return (
    <GuardedButton
      resource="scheduled_tasks"
      action="create"
      onClick={() => navigate(createPath(tasks), { state: { preset, from } })}
    >
      {t('run.schedule')}
    </GuardedButton>
  )
}

const FormAlert = ({ text }: { text: string }) => (
  <Alert type="error" showIcon title={text} className="l-above" />
)

type ProcedureSelectProps = {
  id?: string
  value: ProcedureChoice | null
  onChange: (procedure: ProcedureChoice) => void
  companyId: string | null
}

function ProcedureSelect({ id, value, onChange, companyId }: ProcedureSelectProps) {
  const { t } = useTranslation('procedures')
  // Row-level security shows everybody their own.
  const { query } = useList<{ procedure: ProcedureRow | null }>({
    resource: 'procedure_favorites',
    sorters: [{ field: 'created_at', order: 'asc' }],
    pagination: { mode: 'off' },
    meta: { companyId, select: `procedure:procedures(${PROCEDURE_CHOICE})`, limit: 20, count: 'none' },
  })
  const favorites = (query.data?.data ?? []).flatMap(({ procedure }) => procedure ?? [])
  const starred = new Set(favorites.map(({ id: key }) => key))
  return (
    <RecordSelect<ProcedureRow>
      {...(id ? { id } : {})}
      resource="procedures"
      select={PROCEDURE_CHOICE}
      companyId={companyId}
      label={t('run.procedure')}
      placeholder={t('run.procedurePlaceholder')}
      nothing={t('run.noProcedure')}
      value={value as ProcedureRow | null}
      first={favorites}
      aside={({ id: key, type }) => (
        <>
          {type} {starred.has(key) ? <StarFilled aria-label={t('run.favorite')} /> : null}
        </>
      )}
      onChange={(row) => onChange(toChoice(row))}
    />
  )
}
