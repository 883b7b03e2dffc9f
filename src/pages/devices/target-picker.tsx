import { Alert, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useLiveRefresh } from '@/pages/jobs/use-live-refresh'
import { MAX_TARGETS, type Target } from '@/pages/procedures/targets'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { DeviceSelect } from './device-select'
import { type Named, RecordSelect } from './record-select'
import { useTargets } from './target-data'

const KINDS = ['devices', 'group', 'all'] as const

type TargetKind = (typeof KINDS)[number]

/** What a job is to run on: chosen devices, the members of a group, or all devices of the company in view. */
export function useTargetPicker(companyId: string | null, preset: readonly Target[]) {
  const [kind, setKind] = useState<TargetKind>('devices')
  const [devices, setDevices] = useState<Target[]>([...preset])
  const [group, setGroup] = useState<Named | null>(null)
  const resource = kind === 'group' ? 'groups' : kind
  const ids = kind === 'group' && group ? [group.id] : []
  const found = useTargets(resource, ids, { companyId, isKept: false })
  useLiveRefresh(companyId, kind === 'devices' ? [] : ['devices', 'group_devices'], [found.query])
  const isNamed = kind === 'all' || (kind === 'group' && group !== null)
  return {
    companyId,
    kind,
    setKind,
    devices,
    setDevices,
    group,
    setGroup,
    /** Empty while they are being read, and where there are too many. */
    targets: kind === 'devices' ? devices : (found.data ?? []),
    isTooMany: isNamed && found.data === null,
    isReading: isNamed && found.data === undefined && !found.error,
    error: isNamed ? found.error : null,
    retry: found.refetch,
  }
}

interface TargetPickerProps {
  id: string
  picker: ReturnType<typeof useTargetPicker>
}

export function TargetPicker({ id, picker }: TargetPickerProps) {
  const { t } = useTranslation('devices')
  const language = useLanguage()
  const errorText = useErrorText()
  const { kind, companyId } = picker
  return (
    <div style={{ display: 'grid', gap: 8 }}>
      <Radio.Group
        optionType="button"
        name={`${id}-kind`}
        aria-label={t('target.label')}
        value={kind}
        options={KINDS.map((each) => ({ value: each, label: t(`target.${each}`) }))}
        onChange={(event) => picker.setKind(event.target.value as TargetKind)}
      />
      {kind === 'devices' ? (
        <DeviceSelect
          id={id}
          label={t('target.devices')}
          value={picker.devices}
          companyId={companyId}
          onChange={picker.setDevices}
        />
      ) : null}
      {kind === 'group' ? (
        <RecordSelect<Named>
          id={id}
          resource="groups"
          select="id,name"
          companyId={companyId}
          label={t('target.group')}
          placeholder={t('target.groupPlaceholder')}
          nothing={t('target.noGroup')}
          value={picker.group}
          onChange={picker.setGroup}
        />
      ) : null}
      {picker.isReading ? <LoadingState rows={1} /> : null}
      {picker.error ? (
        <ErrorState
          title={t('target.failed')}
          text={errorText(picker.error)}
          onRetry={() => void picker.retry()}
        />
      ) : null}
      {picker.isTooMany ? (
        <Alert
          type="error"
          showIcon
          title={t('target.tooMany', { max: formatNumber(MAX_TARGETS, language) })}
        />
      ) : null}
    </div>
  )
}
