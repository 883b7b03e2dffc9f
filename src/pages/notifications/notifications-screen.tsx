import BellOutlined from '@ant-design/icons/es/icons/BellOutlined'
import { useNotification } from '@refinedev/core'
import { Button, Pagination } from 'antd'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { DeniedError } from '@/data/errors'
import {
  NOTIFICATIONS_PER_PAGE,
  type NotificationFilter,
  useMarkRead,
  useNotifications,
  useUnreadCount,
} from '@/pages/notifications/notification-data'
import { NotificationItem } from '@/pages/notifications/notification-item'
import { useIdentity } from '@/refine/auth-provider'
import { useErrorText } from '@/resource/use-error-text'
import { EmptyState } from '@/ui/empty-state'
import { PageHeader } from '@/ui/page-header'
import '@/pages/notifications/notifications-page.css'
import { QueryState } from '@/resource/query-state'

export function NotificationsScreen() {
  const user = useIdentity()
  return user ? <Inbox userId={user.id} /> : null
}

/** Filter and page are in the address, so that links and the back button restore them. */
function useInboxAddress() {
  const [params, setParams] = useSearchParams()
  const filter: NotificationFilter = params.get('filter') === 'unread' ? 'unread' : 'all'
  const page = Math.max(1, Number.parseInt(params.get('page') ?? '1', 10) || 1)
  const go = (nextFilter: NotificationFilter, nextPage: number) =>
    setParams({
      ...(nextFilter === 'unread' ? { filter: nextFilter } : {}),
      ...(nextPage > 1 ? { page: String(nextPage) } : {}),
    })
  return { filter, page, go }
}

function Inbox({ userId }: { userId: string }) {
  const { t } = useTranslation('notifications')
  const errorText = useErrorText()
  const { open } = useNotification()
  const { filter, page, go } = useInboxAddress()
  const query = useNotifications(userId, filter, page)
  const unread = useUnreadCount(userId)
  const { markRead, isPending } = useMarkRead(userId)

  const mark = async (id?: string) => {
    try {
      await markRead(id)
    } catch (error) {
      open?.({ type: 'error', message: t('markFailed'), description: errorText(error) })
    }
  }

  return (
    <>
      <PageHeader
        title={t('title', { count: unread.data ?? 0 })}
        extra={
          <>
            {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would announce a form that is not there */}
            <div className="inbox-filter" role="group" aria-label={t('filter.label')}>
              {(['all', 'unread'] as const).map((each) => (
                <Button
                  key={each}
                  type={each === filter ? 'primary' : 'default'}
                  aria-pressed={each === filter}
                  onClick={() => go(each, 1)}
                >
                  {t(`filter.${each}`)}
                </Button>
              ))}
            </div>
            <Button disabled={!unread.data} loading={isPending} onClick={() => void mark()}>
              {t('markAll')}
            </Button>
          </>
        }
      />
      <InboxBody query={query} filter={filter} onRead={(id) => void mark(id)} />
      {query.data && query.data.total > NOTIFICATIONS_PER_PAGE ? (
        <div className="inbox-pages">
          <Pagination
            current={page}
            pageSize={NOTIFICATIONS_PER_PAGE}
            total={query.data.total}
            showSizeChanger={false}
            onChange={(next) => go(filter, next)}
          />
        </div>
      ) : null}
    </>
  )
}

interface InboxBodyProps {
  query: ReturnType<typeof useNotifications>
  filter: NotificationFilter
  onRead: (id: string) => void
}

function InboxBody({ query, filter, onRead }: InboxBodyProps) {
  const { t } = useTranslation('notifications')
  const rows = query.data?.data
  const body = () => {
    if (!rows || query.error instanceof DeniedError) return <QueryState query={query} rows={8} />
    if (rows.length === 0) {
      return (
        <EmptyState
          icon={<BellOutlined aria-hidden="true" />}
          title={filter === 'unread' ? t('empty.unreadTitle') : t('empty.title')}
          text={filter === 'unread' ? t('empty.unreadText') : t('empty.text')}
        />
      )
    }
    return (
      <ul className="inbox-list">
        {rows.map((row) => (
          <NotificationItem key={row.id} row={row} onRead={() => onRead(row.id)} />
        ))}
      </ul>
    )
  }
  return <div className="inbox">{body()}</div>
}
