import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'
import { isReadUntil, watchCompany } from '@/data/live'

export const NOTIFICATIONS_PER_PAGE = 20

export type NotificationFilter = 'all' | 'unread'

export interface NotificationRow {
  id: string
  kind: string
  params: Record<string, unknown>
  /** A path inside the console. */
  link: string | null
  read_at: string | null
  created_at: string
}

/** They belong to a person and not to a company, so the person is what keeps two caches apart. */
function keyOf(userId: string): readonly string[] {
  return ['user', userId, 'notifications']
}

/** How many the bell shows; counted by the database, one row read. */
export function useUnreadCount(userId: string) {
  useNotificationsLive(userId)
  return useQuery({
    queryKey: [...keyOf(userId), 'unread'],
    queryFn: async () => {
      const { count, error, status } = await supabase
        .from('notifications')
        .select('id', { count: 'exact' })
        .eq('user_id', userId)
        .is('read_at', null)
        .limit(1)
      if (error) throw toDataError(error, status)
      return count ?? 0
    },
  })
}

/** `page` counts from 1. */
export function useNotifications(userId: string, filter: NotificationFilter, page: number) {
  return useQuery({
    queryKey: [...keyOf(userId), 'list', filter, page],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const first = (page - 1) * NOTIFICATIONS_PER_PAGE
      const request = supabase
        .from('notifications')
        .select('id, kind, params, link, read_at, created_at', { count: 'exact' })
        .eq('user_id', userId)
        .order('created_at', { ascending: false })
        .order('id', { ascending: false })
        .range(first, first + NOTIFICATIONS_PER_PAGE - 1)
      const { data, count, error, status } = await (filter === 'unread'
        ? request.is('read_at', null)
        : request)
      if (error) throw toDataError(error, status)
      return { rows: data as NotificationRow[], total: count ?? 0 }
    },
  })
}

/** Marks these as read, or with none named all of them. Throws a DataError. */
export function useMarkRead(userId: string): (ids?: readonly string[]) => Promise<void> {
  const queryClient = useQueryClient()
  return useCallback(
    async (ids) => {
      const request = supabase
        .from('notifications')
        .update({ read_at: new Date().toISOString() })
        .eq('user_id', userId)
        .is('read_at', null)
      const { error, status } = await (ids ? request.in('id', [...ids]) : request)
      if (error) throw toDataError(error, status)
      await queryClient.invalidateQueries({ queryKey: keyOf(userId) })
    },
    [queryClient, userId],
  )
}

function useNotificationsLive(userId: string): void {
  const queryClient = useQueryClient()
  useEffect(
    () =>
      watchCompany(`user:${userId}`, (change) => {
        if (change.table !== 'notifications' && change.table !== '*') return
        const missed = change.readUntil === undefined ? {} : { predicate: isReadUntil(change.readUntil) }
        void queryClient.invalidateQueries({ queryKey: keyOf(userId), ...missed })
      }),
    [queryClient, userId],
  )
}
