import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { formatNumber } from '@/i18n/format'
import { useEngineWords, useLanguage } from '@/i18n/use-language'
import type { Board, Definition, Filter } from '@/resource/language/definition.generated'
import { listOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { type ResourceWords, useWords } from '@/resource/language/words'
import { QueryState } from '@/resource/query-state'
import { type ListColumn, listFields } from '@/resource/request/query/columns'
import { listFilter } from '@/resource/request/query/list-request'
import type { ListState } from '@/resource/request/query/list-state'
import { titleFields } from '@/resource/request/query/title'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import type { ActionRunner } from '@/resource/screens/actions/use-action-runner'
import type { PageAction } from '@/resource/screens/actions/use-guarded-item'
import type { CardBoard } from '@/resource/screens/list/layouts/board-card'
import { BoardColumn, Swatch } from '@/resource/screens/list/layouts/board-column'
import {
  type Column,
  type ColumnValue,
  MAX_COLUMNS,
  useBoardColumns,
} from '@/resource/screens/list/layouts/board-columns'
import { useBoardMoves } from '@/resource/screens/list/layouts/board-moves'
import { planColumns } from '@/resource/screens/list/row-plan'
import { useFacets } from '@/resource/screens/list/use-counts'
import { EmptyState } from '@/ui/empty-state'
import '@/resource/screens/list/layouts/layouts.css'

export interface LayoutProps {
  definition: Definition
  words: ResourceWords
  columns: readonly ListColumn[]
  state: ListState
  scope: ResourceScope
  extra: Filter | undefined
  runner: ActionRunner
  linkState: unknown
  onHover: (row: Row) => void
  onChange: (change: Partial<ListState>) => void
  rowMenu: ((row: Row, further?: readonly PageAction[]) => ReactNode) | null
}

const DEFAULT_FIELDS = 4

/** The fields that a card shows. */
function cardFields(definition: Definition, board: Board, columns: readonly ListColumn[]): string[] {
  if (board.cards) return board.cards.filter((name) => name.includes('.') || definition.fields[name])
  const titled = titleFields(definition)
  return columns
    .map(({ field }) => field)
    .filter((name) => name !== board.by && !titled.includes(name))
    .slice(0, DEFAULT_FIELDS)
}

const STEPS: Readonly<Record<string, readonly [columns: number, cards: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The card that an arrow key leads to: its neighbor, or the one at the same height in the next column that has any. */
function neighborOf(card: HTMLElement, [columns, cards]: readonly [number, number]): HTMLElement | null {
  const column = card.closest('.k-board-column')
  const all = (each: Element | null) => [...(each?.querySelectorAll<HTMLElement>('.k-card') ?? [])]
  const byHeight = (list: HTMLElement[]) =>
    list.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
  if (cards !== 0) {
    const own = byHeight(all(column))
    return own[own.indexOf(card) + cards] ?? null
  }
  const { top } = card.getBoundingClientRect()
  for (
    let next = columns < 0 ? column?.previousElementSibling : column?.nextElementSibling;
    next;
    next = columns < 0 ? next.previousElementSibling : next.nextElementSibling
  ) {
    const others = byHeight(all(next))
    const near = others.find((each) => each.getBoundingClientRect().bottom > top) ?? others.at(-1)
    if (near) return near
  }
  return null
}

interface JumpsProps {
  columns: readonly Column[]
  figureOf: (column: Column) => string
  label: string
}

/** The columns by name, for a window that shows few of them at a time: a press scrolls the column into view. */
function Jumps({ columns, figureOf, label }: JumpsProps) {
  const strip = useRef<HTMLElement>(null)
  const handleJump = (index: number) => {
    const board = strip.current?.nextElementSibling
    const column = board?.querySelectorAll('.k-board-column').item(index)
    // Not `scrollIntoView`, which scrolls the page along: on a phone the whole console slid to the left.
    if (board && column)
      board.scrollLeft += column.getBoundingClientRect().left - board.getBoundingClientRect().left
  }
  return (
    <nav ref={strip} className="k-board-jumps" aria-label={label} data-many={columns.length > WIDE_COLUMNS}>
      {columns.map(({ value, label: name, color }, index) => (
        <button key={value ?? ''} type="button" className="k-board-jump" onClick={() => handleJump(index)}>
          <Swatch color={color} />
          {name}
          <span className="k-board-count">{figureOf(columns[index] as Column)}</span>
        </button>
      ))}
    </nav>
  )
}

/** So many columns are side by side in a wide window. */
const WIDE_COLUMNS = 4

/** The list as columns of cards. Each column is a list of its own, read as it is scrolled. */
export function BoardView(props: LayoutProps) {
  const { definition, words, columns, state, scope, extra, runner, linkState, onHover, rowMenu } = props
  const t = useEngineWords()
  const { t: engine } = useTranslation('engine')
  const language = useLanguage()
  const board = listOf(definition)?.board as Board
  const filter = listFilter(definition, state, { find: findDefinition, extra })
  const facets = useFacets(definition, board.by, state, scope, extra, { isWhole: true })
  const counts = new Map(facets?.map(({ value, count }) => [value, count]))
  const isCounted = facets !== undefined && facets.length < MAX_COLUMNS
  const read = useBoardColumns(definition, board, filter, scope, counts)
  const values = read.columns ?? []
  const countOf = ({ value }: Column) => counts.get(value) ?? (isCounted ? 0 : undefined)
  const shown = cardFields(definition, board, columns)
  const shownKey = shown.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same fields are the same plan, whichever array names them
  const plan = useMemo(() => {
    const [first] = shown
    return first ? (planColumns(definition, [{ field: first, with: shown }])[0]?.details ?? []) : []
  }, [definition, shownKey])
  const fields = [
    ...listFields(
      definition,
      shown.map((field) => ({ field })),
    ),
    board.by,
    ...(board.kinds ? [board.kinds.field] : []),
  ]
  const moves = useBoardMoves(definition, board, scope, runner)

  const latest = useRef({ moves, values, onHover, rowMenu })
  useEffect(() => {
    latest.current = { moves, values, onHover, rowMenu }
  })
  const can = useCan()
  const hasMenu = rowMenu !== null
  const isReference = read.target !== undefined
  // A new object when permissions, columns or texts change: they decide which cards move, and where.
  // biome-ignore lint/correctness/useExhaustiveDependencies: everything else is read when a card is drawn or pressed
  const cards = useMemo<CardBoard>(() => {
    const takers = (row: Row) =>
      latest.current.values.filter((column) => latest.current.moves.refusal(row, column) === null)
    const handleKey = (event: KeyboardEvent<HTMLElement>, row: Row) => {
      const step = STEPS[event.key]
      if (!step || event.target !== event.currentTarget) return
      event.preventDefault()
      const { values, moves } = latest.current
      if (!event.shiftKey) neighborOf(event.currentTarget, step)?.focus()
      else {
        const placeOf = (value: ColumnValue) => values.findIndex((each) => each.value === value)
        const at = placeOf((row[board.by] ?? null) as ColumnValue)
        const ahead = takers(row).filter(({ value }) => Math.sign(placeOf(value) - at) === step[0])
        const next = step[0] < 0 ? ahead.at(-1) : ahead[0]
        if (step[0] !== 0 && next !== undefined) moves.move(row, next)
      }
    }
    // A move by an action is in the menu as that action, which leads to one column where the values are fixed.
    const moveItems = (row: Row): PageAction[] =>
      takers(row).flatMap((column) => {
        const named = latest.current.moves.actionFor(row, column)
        if (named && !isReference) return []
        return [
          {
            key: `move:${column.value}`,
            label: t('layout.moveTo', { value: column.label }),
            object: named?.object ?? definition.name,
            verb: named?.verb ?? 'edit',
            run: () => latest.current.moves.move(row, column),
          },
        ]
      })
    return {
      definition,
      plan,
      linkState,
      rowMenu: hasMenu ? (row) => latest.current.rowMenu?.(row, moveItems(row)) : null,
      isMovable: (row) => takers(row).length > 0,
      onHover: (row) => latest.current.onHover(row),
      onKey: handleKey,
    }
  }, [definition, plan, JSON.stringify(linkState), hasMenu, can, JSON.stringify(values), t])
  const targetWords = useWords(read.target ?? definition)
  if (read.isOfAll) return <EmptyState title={engine('layout.company', { columns: targetWords.many })} />
  if (!read.columns) return <QueryState query={read.query} rows={8} />
  const name = engine('layout.columns', { name: words.many, field: words.field(board.by) })
  const figureOf = (column: Column) => {
    const count = countOf(column)
    return count === undefined ? '' : formatNumber(count, language)
  }
  return (
    <>
      <Jumps columns={values} figureOf={figureOf} label={name} />
      <section className="k-board" aria-label={name}>
        {values.map((column, index) => (
          <BoardColumn
            key={column.value ?? ''}
            board={cards}
            by={board.by}
            column={column}
            isNear={index < WIDE_COLUMNS}
            count={countOf(column)}
            limit={column.kind === null ? undefined : board.limits?.[column.kind]}
            fields={fields}
            state={state}
            scope={scope}
            extra={extra}
            placed={moves.placed}
            takes={(row) => moves.refusal(row, column) === null}
            onDrop={(row) => moves.move(row, column)}
          />
        ))}
        {read.hasMore ? (
          <p className="k-board-note">{engine('layout.moreColumns', { count: MAX_COLUMNS })}</p>
        ) : null}
        <span role="status" className="k-visually-hidden">
          {moves.announcement}
        </span>
      </section>
    </>
  )
}
