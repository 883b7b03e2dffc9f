import { dropTargetForElements } from '@atlaskit/pragmatic-drag-and-drop/element/adapter'
import { useVirtualizer } from '@tanstack/react-virtual'
import { Button } from 'antd'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DeniedError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { Filter } from '@/resource/language/definition.generated'
import { type ListState, SCROLL_SIZE } from '@/resource/request/query/list-state'
import { useListQuery } from '@/resource/request/query/use-list-query'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { BoardCard, type CardBoard } from '@/resource/screens/list/layouts/board-card'
import type { Column, ColumnValue } from '@/resource/screens/list/layouts/board-columns'
import type { PlacedCards } from '@/resource/screens/list/layouts/board-moves'
import { useErrorText } from '@/resource/use-error-text'
import { Skeleton } from '@/ui/loading-state'

/** Cards per request: a column shows about eight. */
const PIECE = 50
/** A card of a title and two lines of values, until one has been measured. */
const CARD_HEIGHT = 96
const OVERSCAN = 6
/** The distance from the end at which further cards are loaded. */
const NEAR_END = 20

interface BoardColumnProps {
  board: CardBoard
  by: string
  column: Column
  /** Whether its cards are read at once; those of the others when the column comes near the view. */
  isNear: boolean
  /** Undefined while the records are counted. */
  count: number | undefined
  limit: number | undefined
  fields: readonly string[]
  state: ListState
  scope: ResourceScope
  extra: Filter | undefined
  placed: PlacedCards
  /** Whether the dragged card may be dropped here. */
  takes: (row: Row) => boolean
  onDrop: (row: Row) => void
}

/** The column's rows as they will be: without the cards on their way out, with those on their way in on top. */
function withPlaced(rows: readonly Row[], placed: PlacedCards, value: ColumnValue): readonly Row[] {
  if (placed.size === 0) return rows
  const arrived = [...placed.values()].filter((each) => each.value === value).map(({ row }) => row)
  return [...arrived, ...rows.filter(({ id }) => !placed.has(String(id)))]
}

/** The color that the record of a column has. */
export function Swatch({ color }: Pick<Column, 'color'>) {
  return color ? (
    <span className="k-swatch k-board-swatch" aria-hidden="true" style={{ background: color }} />
  ) : null
}

export function BoardColumn(props: BoardColumnProps) {
  const { board, by, isNear, count, limit, fields, state, scope, extra, placed, takes, onDrop } = props
  const { value, label, color } = props.column
  const { definition } = board
  const { t } = useTranslation('engine')
  const { t: common } = useTranslation('common')
  const language = useLanguage()
  const errorText = useErrorText()
  const column = useRef<HTMLElement>(null)
  const [box, setBox] = useState<HTMLElement | null>(null)
  const [isSeen, setSeen] = useState(isNear)
  const [dropState, setDropState] = useState<'none' | 'over'>('none')
  const own = useMemo<Filter>(() => {
    const condition: Filter = { [by]: value === null ? { _null: true } : { _eq: value } }
    return extra ? { _and: [extra, condition] } : condition
  }, [by, value, extra])
  const result = useListQuery(
    definition,
    fields,
    { ...state, page: 1, cursor: null, pageSize: SCROLL_SIZE },
    scope,
    own,
    { isCounted: false, isOff: !isSeen, piece: PIECE },
  )
  const rows = withPlaced(result.list?.rows ?? [], placed, value)

  useEffect(() => {
    const element = column.current
    if (!element || isSeen) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
      },
      { root: element.parentElement, rootMargin: '0px 300px' },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [isSeen])

  const latest = useRef({ takes, onDrop })
  useEffect(() => {
    latest.current = { takes, onDrop }
  })
  useEffect(() => {
    const element = column.current
    if (!element) return
    const rowOf = (data: Record<string, unknown>) => data.row as Row
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => latest.current.takes(rowOf(source.data)),
      onDragEnter: () => setDropState('over'),
      onDragLeave: () => setDropState('none'),
      onDrop: ({ source }) => {
        setDropState('none')
        latest.current.onDrop(rowOf(source.data))
      },
    })
  }, [])

  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box,
    estimateSize: () => CARD_HEIGHT,
    getItemKey: (index) => String(rows[index]?.id ?? index),
    overscan: OVERSCAN,
    useFlushSync: false,
    gap: 8,
  })
  const items = virtualizer.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  const { more } = result
  useEffect(() => {
    if (rows.length > 0 && rows.length - last < NEAR_END) more?.load()
  }, [rows.length, last, more])

  const isOver = limit !== undefined && count !== undefined && count > limit
  const figure = count === undefined ? '' : formatNumber(count, language)
  const isDenied = result.error instanceof DeniedError
  return (
    <section
      ref={column}
      className="k-board-column"
      data-value={value ?? ''}
      data-drop={dropState}
      aria-label={count === undefined ? label : t('layout.column', { value: label, count, figure })}
    >
      <header className="k-board-head" data-over={isOver}>
        <h2>
          <Swatch color={color} />
          {label}
        </h2>
        <span
          className="k-board-count"
          title={isOver ? t('layout.over', { limit: formatNumber(limit, language) }) : undefined}
        >
          {limit === undefined
            ? figure
            : t('layout.limit', { count: figure, limit: formatNumber(limit, language) })}
        </span>
      </header>
      <div ref={setBox} className="k-board-cards">
        {!result.list && !result.error ? <Skeleton rows={4} /> : null}
        {result.error && !result.list ? (
          <div className="k-board-note" role="alert">
            <p>{errorText(result.error)}</p>
            {isDenied ? null : (
              <Button size="small" onClick={result.refetch}>
                {common('actions.retry')}
              </Button>
            )}
          </div>
        ) : null}
        {result.list && rows.length === 0 ? <p className="k-board-note">{t('layout.emptyColumn')}</p> : null}
        <div className="k-board-room" style={{ height: virtualizer.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index]
            return row ? (
              <div
                key={item.key}
                ref={virtualizer.measureElement}
                data-index={item.index}
                className="k-board-slot"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                <BoardCard row={row} board={board} />
              </div>
            ) : null
          })}
        </div>
        {more?.error ? (
          <div className="k-board-note" role="alert">
            <p>{errorText(more.error)}</p>
            <Button size="small" onClick={more.retry}>
              {common('actions.retry')}
            </Button>
          </div>
        ) : null}
      </div>
    </section>
  )
}
