import InboxOutlined from '@ant-design/icons/es/icons/InboxOutlined'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { StatePanel } from '@/ui/state-panel'

interface EmptyStateProps {
  title?: string
  text?: ReactNode
  icon?: ReactNode
  action?: ReactNode
}

export function EmptyState({ title, text, icon, action }: EmptyStateProps) {
  const { t } = useTranslation('common')
  return (
    <StatePanel
      icon={icon ?? <InboxOutlined />}
      title={title ?? t('states.emptyTitle')}
      text={text}
      action={action}
    />
  )
}
