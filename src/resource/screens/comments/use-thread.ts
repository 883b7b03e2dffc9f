import { type BaseRecord, type CrudFilter, type CrudSort, useDataProvider } from '@refinedev/core'
import { useCallback, useEffect, useMemo, useReducer, useRef } from 'react'
import { useCan } from '@/access/use-can'
import type { LiveChange } from '@/data/live'
import type { ConsoleList, ConsoleMeta } from '@/refine/data-provider'
import { useLiveChanges } from '@/refine/use-live-changes'
import type { Comments } from '@/resource/language/comments'

export interface Comment extends BaseRecord {
  id: string
  kind: string
  /** Markdown. */
  body: string
  author_id: string | null
  author_name: string | null
  mentions: readonly string[]
  edited_at: string | null
  version: number
  created_at: string
  /** The title of the merged record whose description these words are. */
  origin?: string | null
}

const PAGE = 50
const SELECT = 'id,kind,body,author_id,author_name,mentions,edited_at,version,created_at'
const NEWEST_FIRST: CrudSort[] = [
  { field: 'created_at', order: 'desc' },
  { field: 'id', order: 'desc' },
]

interface ThreadState {
  /** Oldest first; null before the first answer. */
  comments: readonly Comment[] | null
  error: unknown
  hasEarlier: boolean
  isLoadingEarlier: boolean
}

type ThreadEvent =
  | { type: 'page'; rows: readonly Comment[]; hasEarlier: boolean; isFresh: boolean }
  | { type: 'rows'; rows: readonly Comment[]; gone: readonly string[] }
  | { type: 'loading' }
  | { type: 'failed'; error: unknown }

const byTime = (one: Comment, other: Comment): number =>
  one.created_at < other.created_at || (one.created_at === other.created_at && one.id < other.id) ? -1 : 1

/** Merges comments that were read later: a known comment is replaced, and all are sorted by time. */
export function mergeComments(
  before: readonly Comment[],
  rows: readonly Comment[],
  gone: readonly string[] = [],
): readonly Comment[] {
  const all = new Map(before.map((comment) => [comment.id, comment]))
  for (const row of rows) all.set(row.id, row)
  for (const id of gone) all.delete(id)
  return [...all.values()].sort(byTime)
}

function next(state: ThreadState, event: ThreadEvent): ThreadState {
  if (event.type === 'failed') return { ...state, error: event.error, isLoadingEarlier: false }
  if (event.type === 'loading') return { ...state, error: null, isLoadingEarlier: true }
  const before = state.comments ?? []
  if (event.type === 'rows')
    return state.comments ? { ...state, comments: mergeComments(before, event.rows, event.gone) } : state
  // After missed messages, only the newest page is certain.
  const comments = event.isFresh ? [...event.rows].sort(byTime) : mergeComments(before, event.rows)
  return { comments, hasEarlier: event.hasEarlier, isLoadingEarlier: false, error: null }
}

/** The topics of a record's comments: its own, and one for each kind with lines of its own that the user may list. */
export function useTopics(
  resource: string,
  id: string,
  { kinds }: Comments,
): { kind: string | null; topic: string }[] {
  const can = useCan()
  const own = Object.entries(kinds).flatMap(([kind, { object }]) =>
    object !== null && can(object, 'list').allowed ? [kind] : [],
  )
  const listed = own.join()
  return useMemo(
    () => [
      { kind: null, topic: `record:${resource}:${id}` },
      ...listed
        .split(',')
        .filter(Boolean)
        .map((kind) => ({ kind, topic: `record:${resource}:${id}:${kind}` })),
    ],
    [resource, id, listed],
  )
}

export interface Thread extends ThreadState {
  showEarlier: () => Promise<void>
  retry: () => void
  /** Shows rows that this page wrote, before their message comes. */
  put: (rows: readonly Comment[]) => void
  drop: (id: string) => void
}

/**
 * The comments of one record: the newest page, earlier ones on request by key, and single ones as their messages come.
 * `onArrived` is told of comments that others wrote while the thread was open.
 */
export function useThread(
  { table, column, hasOrigin }: Pick<Comments, 'table' | 'column' | 'hasOrigin'>,
  record: { id: string; companyId: string | null },
  onArrived: (rows: readonly Comment[]) => void,
): Thread & { handleChange: (change: LiveChange) => void } {
  const provider = useDataProvider()
  const [state, dispatch] = useReducer(next, {
    comments: null,
    error: null,
    hasEarlier: false,
    isLoadingEarlier: false,
  })
  const { id, companyId } = record
  const read = useCallback(
    async (filters: CrudFilter[], meta: ConsoleMeta = {}, pageSize = PAGE) =>
      (await provider().getList<Comment>({
        resource: table,
        filters: [{ field: column, operator: 'eq', value: id }, ...filters],
        sorters: NEWEST_FIRST,
        pagination: { currentPage: 1, pageSize },
        meta: { select: hasOrigin ? `${SELECT},origin` : SELECT, companyId, count: 'none', ...meta },
      })) as ConsoleList<Comment>,
    [provider, table, column, hasOrigin, id, companyId],
  )
  const isCurrent = useRef(true)
  const load = useCallback(async () => {
    try {
      const { data, hasNext } = await read([])
      if (isCurrent.current) dispatch({ type: 'page', rows: data, hasEarlier: hasNext, isFresh: true })
    } catch (error) {
      if (isCurrent.current) dispatch({ type: 'failed', error })
    }
  }, [read])
  useEffect(() => {
    isCurrent.current = true
    void load()
    return () => {
      isCurrent.current = false
    }
  }, [load])

  const known = useRef(state.comments)
  useEffect(() => {
    known.current = state.comments
  })
  const showEarlier = useCallback(async () => {
    const first = known.current?.[0]
    if (!first) return
    dispatch({ type: 'loading' })
    try {
      const { data, hasNext } = await read(
        [],
        { cursor: { way: 'after', values: [first.created_at, first.id], isRun: false } },
        PAGE * 2,
      )
      dispatch({ type: 'page', rows: data, hasEarlier: hasNext, isFresh: false })
    } catch (error) {
      dispatch({ type: 'failed', error })
    }
  }, [read])

  const handleChange = async ({ table: changed, op, ids, readUntil }: LiveChange) => {
    if (changed !== '*' && changed !== table) return
    if (changed === '*' && readUntil !== undefined && known.current === null) return
    if (op === 'delete' && ids.length > 0) return dispatch({ type: 'rows', rows: [], gone: ids })
    if (ids.length === 0) return load()
    try {
      const { data } = await read([{ field: 'id', operator: 'in', value: [...ids] }])
      const before = new Set(known.current?.map((comment) => comment.id))
      // An edited comment of an earlier page stays there, unread.
      const rows = op === 'insert' ? data : data.filter((row) => before.has(row.id))
      dispatch({ type: 'rows', rows, gone: ids.filter((each) => !data.some((row) => row.id === each)) })
      const arrived = rows.filter((row) => !before.has(row.id))
      if (arrived.length > 0) onArrived(arrived)
    } catch {
      void load()
    }
  }
  const put = useCallback((rows: readonly Comment[]) => dispatch({ type: 'rows', rows, gone: [] }), [])
  const drop = useCallback((gone: string) => dispatch({ type: 'rows', rows: [], gone: [gone] }), [])
  return {
    ...state,
    showEarlier,
    retry: () => void load(),
    put,
    drop,
    handleChange: (change) => void handleChange(change),
  }
}

/** Listens on one topic of a record; a component, because a thread has as many as the user may hear. */
export function TopicEar({
  topic,
  table,
  onChange,
}: {
  topic: string
  table: string
  onChange: (change: LiveChange) => void
}) {
  useLiveChanges({ table, companyId: null, topic }, onChange)
  return null
}
