import LeftOutlined from '@ant-design/icons/es/icons/LeftOutlined'
import RightOutlined from '@ant-design/icons/es/icons/RightOutlined'
import { type BaseRecord, type HttpError, useList, useOne } from '@refinedev/core'
import { Button } from 'antd'
import { useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { supabase } from '@/data/client'
import { type Row, type RowList, type RowPage, readPage } from '@/data/rows'
import type { ConsoleList } from '@/refine/data-provider'
import { useCache } from '@/refine/use-cache'
import type { Definition } from '@/resource/language/definition.generated'
import { hasTabPath, showPath } from '@/resource/language/naming'
import { recordTitle } from '@/resource/request/query/title'
import { prefetchRecord } from '@/resource/request/query/use-record-query'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import {
  type ListPosition,
  listPosition,
  nearestRow,
  neighborPage,
  neighborPath,
  positionPath,
} from '@/resource/screens/show/list-position'
import { OVERVIEW, useTabAddress } from '@/resource/screens/show/record-tabs'
import { isPlainKey } from '@/ui/plain-key'

interface Neighbor {
  row: Row
  /** The list at the page that holds the neighbor. */
  from: string
}

interface Neighbors {
  previous: Neighbor | null
  next: Neighbor | null
}

/** Kept as it was read: who walks through a list walks through it as it was, whatever is changed on the way. */
const KEPT = { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false } as const

function usePage(resource: string, position: ListPosition | null): RowList | undefined {
  const { query } = useList<BaseRecord, HttpError>({
    resource,
    queryOptions: {
      ...KEPT,
      queryKey: ['walk', resource, position?.page],
      queryFn: async ({ signal }) => {
        const { rows, ...rest } = await readPage(supabase, position?.page as RowPage, signal)
        return { data: rows, total: rows.length, ...rest }
      },
      enabled: position !== null,
    },
  })
  const list = query.data as ConsoleList | undefined
  return useMemo(
    () => list && { rows: list.data as Row[], hasNext: list.hasNext, hasPrevious: list.hasPrevious },
    [list],
  )
}

/** A record that is no longer on its page, with only the columns that the order needs. */
function useOwnRow(resource: string, position: ListPosition | null, id: string, isLost: boolean) {
  const columns = position?.page.order.map(({ column }) => column) ?? []
  const { query } = useOne<BaseRecord, HttpError>({
    resource,
    id,
    meta: {
      table: position?.page.table,
      companyId: position?.page.companyId ?? null,
      select: [...new Set(['id', ...columns])].join(','),
    },
    queryOptions: { enabled: isLost, retry: false },
  })
  return isLost ? (query.data?.data as Row | undefined) : undefined
}

/**
 * The records before and after this one in the list it was opened from. The page is read once; at its edge, the
 * next one by the key cursor.
 */
function useNeighbors(definition: Definition, id: string, scope: ResourceScope): Neighbors | null {
  const { state } = useLocation()
  const { companyId, filter } = scope
  const context = useMemo(() => ({ companyId, scope: filter }), [companyId, filter])
  // Kept while the address stays: a filter by `$now` would ask anew with every drawing.
  const position = useMemo(() => listPosition(definition, state, context), [definition, state, context])
  const page = usePage(definition.name, position)
  const index = page?.rows.findIndex((row) => row.id === id) ?? -1
  const own = useOwnRow(definition.name, position, id, page !== undefined && index === -1)
  const edges = useMemo(() => {
    if (!page || !position || (index === -1 && !own)) return { after: null, before: null }
    const rows = index === -1 && own ? [own] : page.rows
    const isEnd = index === -1 || (index === rows.length - 1 && page.hasNext)
    const isStart = index === -1 || (index === 0 && page.hasPrevious)
    return {
      after: isEnd ? neighborPage(definition, position, rows, 'after', context) : null,
      before: isStart ? neighborPage(definition, position, rows, 'before', context) : null,
    }
  }, [definition, position, page, own, index, context])
  const after = usePage(definition.name, edges.after)
  const before = usePage(definition.name, edges.before)
  if (!position || !page) return null

  const beside = (
    inPage: Row | undefined,
    edge: { position: ListPosition | null; page: RowList | undefined },
    way: 'after' | 'before',
  ): Neighbor | null => {
    if (inPage) return { row: inPage, from: positionPath(definition, position) }
    const row = edge.position && edge.page ? nearestRow(edge.page, id, way) : undefined
    return row && edge.position ? { row, from: neighborPath(definition, position, edge.position) } : null
  }
  return {
    previous: beside(page.rows[index - 1], { position: edges.before, page: before }, 'before'),
    next: beside(
      index === -1 ? undefined : page.rows[index + 1],
      { position: edges.after, page: after },
      'after',
    ),
  }
}

const WAYS = [
  { way: 'previous', key: '[', Icon: LeftOutlined },
  { way: 'next', key: ']', Icon: RightOutlined },
] as const

interface RecordWalkProps {
  definition: Definition
  id: string
  scope: ResourceScope
}

/** From record to record in the order of the list they were found in. */
export function RecordWalk({ definition, id, scope }: RecordWalkProps) {
  const { t } = useTranslation('engine')
  const cache = useCache()
  const navigate = useNavigate()
  const { asked } = useTabAddress(definition, id, OVERVIEW)
  const neighbors = useNeighbors(definition, id, scope)

  const go = ({ row, from }: Neighbor) => {
    const record = showPath(definition, String(row.id))
    const search = asked ? `?tab=${encodeURIComponent(asked)}` : ''
    const path = asked && hasTabPath(definition, asked) ? `${record}/${asked}` : `${record}${search}`
    navigate(path, { state: { from } })
  }
  const handler = useRef<(event: KeyboardEvent) => void>(undefined)
  useEffect(() => {
    handler.current = (event) => {
      for (const { way, key } of WAYS) {
        const neighbor = neighbors?.[way]
        if (neighbor && isPlainKey(event, key)) go(neighbor)
      }
    }
  })
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => handler.current?.(event)
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [])

  if (!neighbors) return null
  return (
    <nav className="k-walk" aria-label={t('walk.title')}>
      {WAYS.map(({ way, key, Icon }) => {
        const neighbor = neighbors[way]
        const title = neighbor ? recordTitle(definition, neighbor.row) : ''
        return (
          <Button
            key={way}
            icon={<Icon aria-hidden="true" />}
            aria-label={title ? `${t(`walk.${way}`)}: ${title}` : t(`walk.${way}`)}
            aria-keyshortcuts={key}
            title={title ? `${title} (${key})` : undefined}
            disabled={!neighbor}
            onPointerEnter={() =>
              neighbor && prefetchRecord(cache, definition, String(neighbor.row.id), scope)
            }
            onClick={() => neighbor && go(neighbor)}
          />
        )
      })}
    </nav>
  )
}
