import { useList } from '@refinedev/core'
import { useEffect, useState } from 'react'
import type { TableRow } from '@/data/database'
import { noteTimer } from '@/pages/tickets/timer-flag'
import { useSession } from '@/session/use-session'

export type Running = Pick<
  TableRow<'time_entries'>,
  'id' | 'company_id' | 'ticket_id' | 'started_at' | 'note'
> & {
  ticket: Pick<TableRow<'tickets'>, 'number' | 'subject'> | null
}

/** The timer of the signed-in person, on whichever ticket: one question for all that show it. */
export function useRunningTimer({ isEnabled = true } = {}) {
  const { user } = useSession()
  const { query } = useList<Running>({
    resource: 'time_entries',
    filters: [
      { field: 'user_id', operator: 'eq', value: user?.id },
      { field: 'ended_at', operator: 'null', value: true },
    ],
    pagination: { currentPage: 1, pageSize: 1, mode: 'server' },
    meta: {
      select:
        'id,company_id,ticket_id,started_at,note,ticket:tickets!time_entries_ticket_id_fkey(number,subject)',
      count: 'none',
    },
    errorNotification: false,
    queryOptions: { enabled: isEnabled && user !== null },
  })
  const found = query.data?.data
  const userId = user?.id
  const isRunning = found && found.length > 0
  useEffect(() => {
    if (isRunning !== undefined && userId !== undefined) noteTimer(isRunning ? userId : null)
  }, [isRunning, userId])
  return { query, running: found?.[0], userId }
}

/**
 * Whether somebody else started the timer that a ticket names, and false while that is not known. The ticket and
 * the running timer come in two answers, in either order, so the entry of that moment is asked for: it stays the
 * person's own also when it has ended. A role may read no entries but its own.
 */
export function useIsColleagues({ ticketId, since }: { ticketId: string; since: string | null }): boolean {
  const { user } = useSession()
  const { query } = useList<Pick<TableRow<'time_entries'>, 'id'>>({
    resource: 'time_entries',
    filters: [
      { field: 'user_id', operator: 'eq', value: user?.id },
      { field: 'ticket_id', operator: 'eq', value: ticketId },
      { field: 'started_at', operator: 'eq', value: since },
    ],
    pagination: { currentPage: 1, pageSize: 1, mode: 'server' },
    meta: { select: 'id', count: 'none' },
    errorNotification: false,
    queryOptions: { enabled: since !== null && user !== null },
  })
  return since !== null && query.data?.data.length === 0
}

/** The seconds since a moment, which tick. */
export function useSecondsSince(moment: string | undefined): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (moment === undefined) return
    setNow(Date.now())
    const timer = window.setInterval(() => setNow(Date.now()), 1000)
    return () => window.clearInterval(timer)
  }, [moment])
  return moment === undefined ? 0 : Math.max(0, Math.floor((now - Date.parse(moment)) / 1000))
}
