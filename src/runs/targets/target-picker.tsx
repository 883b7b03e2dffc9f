import { Alert, Radio, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import type { MatchingRows } from '@/resource/engine-context'
import type { Definition } from '@/resource/language/definition.generated'
import { QueryState } from '@/resource/query-state'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { DeviceSelect } from './device-select'
import { type Named, RecordSelect } from './record-select'
import { type ServerTarget, type TargetPreset, useTargetPreview } from './target-data'
import { type TargetView, useTargetViews } from './target-views'
import {
  type AskedScript,
  MAX_TARGETS,
  oneCompany,
  type Selection,
  splitPlatforms,
  splitTargets,
  type Target,
} from './targets'

const KINDS = ['devices', 'group', 'view', 'all'] as const

type TargetKind = (typeof KINDS)[number] | 'matching'

/** The call that queues a job on the target. */
export interface TargetCall {
  name: string
  args: Record<string, unknown>
}

export interface ChosenTarget {
  /** The devices that the job runs on; null while the server has not counted them yet. */
  selection: Selection | null
  /** The company of the devices; null where there are none or several. */
  company: string | null
  isMixed: boolean
  isTooMany: boolean
  /** Whether the job can be queued. */
  isReady: boolean
  /** The chosen devices where each of them was chosen; others are known to the server alone. */
  devices: Target[] | null
  /** Calls a function on the target: with ids, or with what the server finds at that moment. */
  callOf: (name: string, args: Record<string, unknown>) => TargetCall
}

export type TargetPickerState = ReturnType<typeof useTargetPicker>

/**
 * The target of a job: chosen devices, groups, a view or the filter of a list, or all devices of the company in
 * view. All but chosen devices are found by the server when the job is queued.
 */
export function useTargetPicker(companyId: string | null, preset: TargetPreset) {
  const matching: MatchingRows | null = 'matching' in preset ? preset.matching : null
  const [kind, setKind] = useState<TargetKind>(
    matching ? 'matching' : 'groups' in preset ? 'group' : 'all' in preset ? 'all' : 'devices',
  )
  const [devices, setDevices] = useState<Target[]>('devices' in preset ? preset.devices : [])
  const [groups, setGroups] = useState<Named[]>('groups' in preset ? preset.groups : [])
  const [view, setView] = useState<TargetView | null>(null)

  const rows = kind === 'matching' ? matching : kind === 'view' ? (view?.rows ?? null) : null
  const serverTarget = (): ServerTarget | null => {
    if (rows) return { kind: 'filter', company_id: companyId, ...rows }
    if (kind === 'all') return { kind: 'all', company_id: companyId }
    if (kind === 'group' && groups.length > 0)
      return { kind: 'groups', company_id: companyId, group_ids: groups.map(({ id }) => id) }
    return null
  }
  const target = serverTarget()
  const preview = useTargetPreview(target)
  useLiveRefresh(companyId, target ? ['devices', 'group_devices'] : [], [
    { isEnabled: target !== null, dataUpdatedAt: preview.dataUpdatedAt, refetch: preview.refetch },
  ])
  const counted = preview.isPlaceholderData ? undefined : preview.data

  const companyOf = (): string | null => {
    if (kind === 'devices') return oneCompany(devices)
    const [only, second] = counted?.companies ?? []
    return second === undefined ? (only ?? null) : null
  }
  /** The target for a script of this type and company; `fits` is for what is no script. */
  const choose = (
    script: (AskedScript & { company_id?: string }) | null,
    fits?: (target: Pick<Target, 'platform'>) => boolean,
  ): ChosenTarget => {
    const company = companyOf()
    const on = script?.company_id ?? company
    const asked =
      script && on ? { type: script.type, platforms: script.platforms ?? null, company_id: on } : null
    const chosen = kind === 'devices' ? splitTargets(devices, asked, fits) : null
    const found = counted && target ? splitPlatforms(counted.platforms, asked, fits) : null
    const selection = kind === 'devices' ? chosen : found
    const isMixed = selection !== null && company === null && selection.count > 0
    const isTooMany = (selection?.count ?? 0) > MAX_TARGETS
    return {
      selection,
      company,
      isMixed,
      isTooMany,
      isReady: selection !== null && selection.count > 0 && !isMixed && !isTooMany,
      devices: chosen?.runnable ?? null,
      callOf: (name, args) =>
        chosen
          ? { name, args: { ...args, device_ids: chosen.runnable.map(({ id }) => id) } }
          : {
              name: 'run_on_target',
              args: {
                target: {
                  ...target,
                  company_id: on,
                  ...(found?.platforms ? { platforms: found.platforms } : {}),
                },
                call: name,
                args,
              },
            },
    }
  }
  return {
    companyId,
    kind,
    setKind,
    kinds: matching ? (['matching', ...KINDS] as const) : KINDS,
    /** The rows of the filter or view. */
    rows,
    filterName: 'matching' in preset ? preset.name : undefined,
    devices,
    setDevices,
    groups,
    setGroups,
    view,
    setView,
    choose,
    isReading: target !== null && counted === undefined && !preview.error,
    error: target === null ? null : preview.error,
    preview: { data: counted, error: preview.error, refetch: preview.refetch },
  }
}

interface TargetPickerProps {
  id: string
  picker: TargetPickerState
  /** The only company whose devices may be chosen; null for the company in view. */
  companyId?: string | null
}

export function TargetPicker({ id, picker, companyId }: TargetPickerProps) {
  const { t } = useTranslation('devices')
  const { kind } = picker
  const company = companyId ?? picker.companyId
  const [only] = picker.groups
  return (
    <div className="l-stack">
      <Radio.Group
        optionType="button"
        name={`${id}-kind`}
        aria-label={t('target.label')}
        value={kind}
        options={picker.kinds.map((each) => ({
          value: each,
          label: each === 'matching' && picker.filterName ? picker.filterName : t(`target.${each}`),
        }))}
        onChange={(event) => picker.setKind(event.target.value as TargetKind)}
      />
      {kind === 'devices' ? (
        <DeviceSelect
          id={id}
          label={t('target.devices')}
          value={picker.devices}
          companyId={company}
          onChange={picker.setDevices}
        />
      ) : null}
      {kind === 'group' ? (
        <RecordSelect<Named>
          id={id}
          resource="groups"
          select="id,name"
          companyId={company}
          label={t('target.group')}
          placeholder={t('target.groupPlaceholder')}
          nothing={t('target.noGroup')}
          value={
            only
              ? {
                  id: picker.groups.map(({ id: key }) => key).join(),
                  name: picker.groups.map(({ name }) => name).join(', '),
                }
              : null
          }
          onChange={(group) => picker.setGroups([group])}
        />
      ) : null}
      {kind === 'view' ? (
        <DefinedScreen resource="devices">
          {(definition) => <ViewSelect id={id} devices={definition} picker={picker} />}
        </DefinedScreen>
      ) : null}
      {picker.isReading || picker.error ? (
        <QueryState query={picker.preview} rows={1} title={t('target.failed')} />
      ) : null}
    </div>
  )
}

function ViewSelect({ id, devices, picker }: TargetPickerProps & { devices: Definition }) {
  const { t } = useTranslation('devices')
  const views = useTargetViews(devices)
  return (
    <Select
      id={id}
      aria-label={t('target.view')}
      placeholder={t('target.viewPlaceholder')}
      notFoundContent={t('target.noView')}
      showSearch={{ optionFilterProp: 'label' }}
      value={picker.view?.id ?? null}
      options={views.map((view) => ({ value: view.id, label: view.name }))}
      onChange={(chosen) => picker.setView(views.find((view) => view.id === chosen) ?? null)}
    />
  )
}

/** Names a problem with the target as a whole. */
export function TargetProblem({ chosen, mixed }: { chosen: ChosenTarget; mixed: string }) {
  const { t } = useTranslation('devices')
  const language = useLanguage()
  const text = chosen.isMixed
    ? mixed
    : chosen.isTooMany
      ? t('target.tooMany', { max: formatNumber(MAX_TARGETS, language) })
      : null
  return text ? <Alert type="error" showIcon title={text} className="l-above" /> : null
}
