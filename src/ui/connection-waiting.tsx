import { useTranslation } from 'react-i18next'
import { Icon } from '@/ui/icons'
import { PlainButton } from '@/ui/plain-button'
import { StatePanel } from '@/ui/state-panel'

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
