import LockOutlined from '@ant-design/icons/es/icons/LockOutlined'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { StatePanel } from '@/ui/state-panel'

interface DeniedStateProps {
  title?: string
  /** Why, in the reader's language; the role by default. */
  text?: string
  action?: ReactNode
}

export function DeniedState({ title, text, action }: DeniedStateProps) {
  const { t } = useTranslation('common')
  return (
    <StatePanel
      role="alert"
      icon={<LockOutlined aria-hidden="true" />}
      title={title ?? t('states.deniedTitle')}
      text={text ?? t('states.deniedText')}
      action={action}
    />
  )
}
