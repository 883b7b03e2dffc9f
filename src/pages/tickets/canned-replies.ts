import { useList } from '@refinedev/core'
import { useCallback } from 'react'
import { useRpcCall } from '@/refine/use-rpc'
import { useCompanyScope } from '@/session/use-company-scope'

/** The placeholders of canned replies; `fill_canned_reply` fills them in, and the database refuses others. */
export const PLACEHOLDERS = [
  'requester.name',
  'ticket.number',
  'device.name',
  'agent.name',
  'company.name',
] as const
type Placeholder = (typeof PLACEHOLDERS)[number]

const PLACEHOLDER = /\{([a-zA-Z_]+(?:\.[a-zA-Z_]+)*)\}/g

const isKnown = (name: string): name is Placeholder => (PLACEHOLDERS as readonly string[]).includes(name)

/** The first placeholder of a text that does not exist, as it is written; null where all do. */
export function unknownPlaceholder(text: string): string | null {
  for (const [written, name = ''] of text.matchAll(PLACEHOLDER)) if (!isKnown(name)) return written
  return null
}

/** Fills placeholders in one pass; one without a value stays as it is written. */
export function fillPlaceholders(text: string, values: Partial<Record<Placeholder, string>>): string {
  return text.replace(PLACEHOLDER, (written, name: string) =>
    isKnown(name) ? (values[name] ?? written) : written,
  )
}

export interface CannedReply {
  id: string
  name: string
  shortcut: string
  body: string
  category_id: string | null
  language: string | null
  scope: 'shared' | 'mine'
}

/** More than anybody chooses from; typing finds the rest. */
const MAX_REPLIES = 200

/**
 * The canned replies that the user may use in a ticket: those of its category and those for all. `fill` gives the text
 * for a ticket with its placeholders filled in by the database. @throws DataError
 * @public
 */
export function useCannedReplies(ticket: { company_id: string; category_id: string | null }) {
  const { companyId } = useCompanyScope()
  const call = useRpcCall()
  const { query } = useList<CannedReply>({
    resource: 'canned_replies',
    sorters: [{ field: 'name_key', order: 'asc' }],
    filters: [{ field: 'company_id', operator: 'eq', value: ticket.company_id }],
    pagination: { mode: 'off' },
    meta: {
      companyId,
      select: 'id,name,shortcut,body,category_id,language,scope',
      limit: MAX_REPLIES,
      count: 'none',
    },
  })
  const replies = (query.data?.data ?? []).filter(
    ({ category_id }) => category_id === null || category_id === ticket.category_id,
  )
  const fill = useCallback(
    (replyId: string, ticketId: string) =>
      call<string>('fill_canned_reply', { reply: replyId, ticket: ticketId }),
    [call],
  )
  return { replies, isLoading: query.isPending, fill }
}
