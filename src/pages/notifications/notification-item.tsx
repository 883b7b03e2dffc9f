import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatLongDate } from '@/i18n/format'
import type { Language } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import type { NotificationRow } from '@/pages/notifications/notification-data'
import { currentPhrase } from '@/resource/language/phrases'
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
  const kind = i18n.exists(`notifications:kinds.${row.kind}.title`, params) ? row.kind : 'other'
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

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

/**
 * The values of a notification's text: its own parameters, with instants written as dates in the user's
 * language.
 */
function notificationParams(
  params: Record<string, unknown>,
  language: Language,
): Record<string, string | number> {
  const filled: Record<string, string | number> = {}
  for (const [name, value] of Object.entries(params)) {
    if (typeof value === 'number') filled[name] = value
    else if (typeof value === 'string')
      filled[name] = INSTANT.test(value) ? formatLongDate(value, language) : currentPhrase(value)
  }
  // Tasks without canceled runs are told without them.
  if (typeof filled.canceled === 'number' && filled.canceled > 0) filled.context = 'canceled'
  // i18next chooses singular and plural by `count`.
  const count = filled.count ?? filled.days
  return typeof count === 'number' ? { ...filled, count } : filled
}

/** Links come from the database: only a path inside the console is followed. */
function insidePath(link: string | null): string | null {
  return link !== null && /^\/(?![/\\])/.test(link) ? link : null
}
