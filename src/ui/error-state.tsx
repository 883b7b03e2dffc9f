import WarningOutlined from '@ant-design/icons/es/icons/WarningOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useIsConnectionLost } from '@/ui/connection-lost'
import { StatePanel } from '@/ui/state-panel'
import { ConnectionWaiting } from '@/ui/waiting-states'

interface ErrorStateProps {
  title?: string
  /** Already in the reader's language: what went wrong and what to do. */
  text?: string
  onRetry?: () => void
}

export function ErrorState({ title, text, onRetry }: ErrorStateProps) {
  const { t } = useTranslation('common')
  // A failure of the connection is retried automatically, so waiting and retrying show one message.
  const isWaiting = useIsConnectionLost() && onRetry !== undefined && title === undefined
  if (isWaiting) return <ConnectionWaiting onRetry={onRetry} />
  return (
    <StatePanel
      role="alert"
      tone="error"
      icon={<WarningOutlined aria-hidden="true" />}
      title={title ?? t('states.errorTitle')}
      text={text ?? t('states.errorText')}
      action={onRetry ? <Button onClick={onRetry}>{t('actions.retry')}</Button> : null}
    />
  )
}
