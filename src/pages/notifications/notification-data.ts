import { type CrudFilter, useList, useUpdateMany } from '@refinedev/core'
import type { TableRow } from '@/data/database'
import { GoneError } from '@/data/errors'
import { isReadUntil } from '@/data/live'
import { useCache } from '@/refine/use-cache'
import { useLiveChanges } from '@/refine/use-live-changes'

export const NOTIFICATIONS_PER_PAGE = 20

export type NotificationFilter = 'all' | 'unread'

/** `link` is a path inside the console. */
export type NotificationRow = Pick<
  TableRow<'notifications'>,
  'id' | 'kind' | 'link' | 'read_at' | 'created_at'
> & { params: Record<string, unknown> }

const RESOURCE = 'notifications'
const UNREAD: CrudFilter = { field: 'read_at', operator: 'null', value: null }

/** Notifications belong to a person and not to a company. */
const ofUser = (userId: string): CrudFilter => ({ field: 'user_id', operator: 'eq', value: userId })

/** How many the bell shows; counted by the database, one row read. */
export function useUnreadCount(userId: string): { data: number | undefined } {
  const cache = useCache()
  const { query } = useList({
    resource: RESOURCE,
    filters: [ofUser(userId), UNREAD],
    meta: { count: 'only' },
  })
  useLiveChanges({ table: RESOURCE, companyId: null, topic: `user:${userId}` }, ({ readUntil }) => {
    const missed = readUntil === undefined ? {} : { where: isReadUntil(readUntil) }
    void cache.invalidate(RESOURCE, missed)
  })
  return { data: query.data?.total }
}

/** `page` counts from 1. */
export function useNotifications(userId: string, filter: NotificationFilter, page: number) {
  const { query } = useList<NotificationRow>({
    resource: RESOURCE,
    filters: filter === 'unread' ? [ofUser(userId), UNREAD] : [ofUser(userId)],
    sorters: [
      { field: 'created_at', order: 'desc' },
      { field: 'id', order: 'desc' },
    ],
    pagination: { currentPage: page, pageSize: NOTIFICATIONS_PER_PAGE },
    meta: { select: 'id,kind,params,link,read_at,created_at' },
    queryOptions: { placeholderData: (before) => before },
  })
  return query
}

/** Marks one as read, or with none named all of them. Throws a DataError. */
export function useMarkRead(userId: string) {
  const { mutateAsync, mutation } = useUpdateMany()
  const markRead = async (id?: string): Promise<void> => {
    try {
      await mutateAsync({
        resource: RESOURCE,
        ids: [id ?? userId],
        values: { read_at: new Date().toISOString() },
        meta: {
          select: 'id',
          idColumnName: id === undefined ? 'user_id' : 'id',
          conditions: [UNREAD, ...(id === undefined ? [] : [ofUser(userId)])],
        },
        invalidates: ['resourceAll'],
        successNotification: false,
        errorNotification: false,
      })
    } catch (error) {
      // Already read in another tab.
      if (!(error instanceof GoneError)) throw error
    }
  }
  return { markRead, isPending: mutation.isPending }
}
