import { useTranslation } from 'react-i18next'
import { Icon } from '@/ui/icons'
import { type ChunkProblem, reloadPastCache, retryChunks } from '@/ui/load-chunk'
import { PlainButton } from '@/ui/plain-button'
import { StatePanel } from '@/ui/state-panel'

/** Replaces a part whose file cannot be loaded now. It disappears when the file is loaded. */
export function ChunkWaiting({ problem }: { problem: ChunkProblem }) {
  const { t } = useTranslation('common')
  return (
    <StatePanel
      role="status"
      icon={<Icon name="warning" />}
      title={problem === 'offline' ? t('offline.title') : t('outdated.title')}
      text={problem === 'offline' ? t('offline.partText') : t('outdated.text')}
      action={
        problem === 'offline' ? (
          <PlainButton onClick={retryChunks}>{t('actions.retry')}</PlainButton>
        ) : (
          <PlainButton onClick={() => void reloadPastCache()}>{t('states.reload')}</PlainButton>
        )
      }
    />
  )
}

/**
 * Replaces content that cannot be read while the connection is lost. It disappears when the server responds.
 */
export function ConnectionWaiting({ onRetry }: { onRetry?: () => void }) {
  const { t } = useTranslation('common')
  return (
    <StatePanel
      role="status"
      icon={<Icon name="warning" />}
      title={t('offline.waitingTitle')}
      text={t('offline.waitingText')}
      action={onRetry ? <PlainButton onClick={onRetry}>{t('actions.retry')}</PlainButton> : null}
    />
  )
}
