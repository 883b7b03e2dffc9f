import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useLanguage } from '@/i18n/use-language'
import type { NotificationRow } from '@/pages/notifications/notification-data'
import { insidePath, notificationParams } from '@/pages/notifications/notification-text'
import { RelativeTime } from '@/ui/relative-time'

interface NotificationItemProps {
  row: NotificationRow
  onRead: () => void
}

export function NotificationItem({ row, onRead }: NotificationItemProps) {
  const { t, i18n } = useTranslation('notifications')
  const language = useLanguage()
  const params = notificationParams(row.params, language)
  const isUnread = row.read_at === null
  const link = insidePath(row.link)
  // A kind without a text still shows that something happened, and when.
  const kind = i18n.exists(`notifications:kinds.${row.kind}.title`) ? row.kind : 'other'
  const title = t(`kinds.${kind as 'other'}.title`, params)
  return (
    <li className="inbox-row" data-unread={isUnread}>
      <span className="inbox-dot" aria-hidden="true" />
      <div className="inbox-words">
        <p className="inbox-title">
          {isUnread ? <span className="k-visually-hidden">{t('unreadMark')}</span> : null}
          {link === null ? (
            title
          ) : (
            <Link to={link} onClick={isUnread ? onRead : undefined}>
              {title}
            </Link>
          )}
        </p>
        <p className="inbox-text">{t(`kinds.${kind as 'other'}.text`, params)}</p>
        <span className="inbox-time">
          <RelativeTime value={row.created_at} />
        </span>
      </div>
      {isUnread ? (
        <Button size="small" onClick={onRead} aria-label={t('markOneLabel', { title })}>
          {t('markOne')}
        </Button>
      ) : null}
    </li>
  )
}
