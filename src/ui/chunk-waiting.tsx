import { useTranslation } from 'react-i18next'
import { Icon } from '@/ui/icons'
import { type ChunkProblem, retryChunks } from '@/ui/load-chunk'
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
          <PlainButton onClick={() => window.location.reload()}>{t('states.reload')}</PlainButton>
        )
      }
    />
  )
}
