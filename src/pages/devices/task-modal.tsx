import { Modal } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { MAX_TARGETS, type Target } from '@/pages/procedures/targets'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { useTargets } from './target-data'

interface TaskModalProps {
  title: string
  /** `devices` or `groups`: what the ids are. */
  resource: string
  ids: readonly string[]
  /** Called when the devices are known. */
  children: (preset: Target[]) => ReactNode
  onClose: () => void
}

/** A dialog over the chosen devices, or the members of the chosen groups. */
export function TaskModal({ title, resource, ids, children, onClose }: TaskModalProps) {
  const { t } = useTranslation(['devices', 'procedures', 'jobs', 'access'])
  const language = useLanguage()
  const errorText = useErrorText()
  const targets = useTargets(resource, ids)
  return (
    <Modal open title={title} onCancel={onClose} footer={null} width={640} mask={{ closable: false }}>
      {targets.data ? (
        children(targets.data)
      ) : targets.data === null ? (
        <ErrorState
          title={t('procedures:run.groupTooLarge')}
          text={t('target.tooMany', { max: formatNumber(MAX_TARGETS, language) })}
        />
      ) : targets.error ? (
        <ErrorState text={errorText(targets.error)} onRetry={() => void targets.refetch()} />
      ) : (
        <LoadingState rows={4} />
      )}
    </Modal>
  )
}
