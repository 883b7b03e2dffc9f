import BellOutlined from '@ant-design/icons/es/icons/BellOutlined'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useUnreadCount } from '@/pages/notifications/notification-data'
import { Tip } from '@/ui/tip'

const MAX_SHOWN = 99

export function NotificationBell({ userId }: { userId: string }) {
  const { t } = useTranslation('shell')
  const { data: count = 0 } = useUnreadCount(userId)
  const label = count > 0 ? t('bell.unread', { count }) : t('bell.none')
  return (
    <Tip title={label}>
      <Link className="top-button" to="/notifications" aria-label={label}>
        <BellOutlined aria-hidden="true" />
        {count > 0 ? (
          <span className="bell-badge" aria-hidden="true">
            {count > MAX_SHOWN ? `${MAX_SHOWN}+` : count}
          </span>
        ) : null}
      </Link>
    </Tip>
  )
}
