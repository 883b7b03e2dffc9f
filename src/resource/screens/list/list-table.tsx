import {
  type MouseEvent,
  type ReactNode,
  Suspense,
  startTransition,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { Row } from '@/data/rows'
import { FieldLinksContext } from '@/resource/fields/cell-parts'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { type ListColumn, narrowColumns } from '@/resource/request/query/columns'
import type { ListSort } from '@/resource/request/query/list-state'
import type { Density } from '@/resource/request/query/saved-views'
import { HeaderCell } from '@/resource/screens/list/header-cell'
import { type PlannedColumn, planColumns } from '@/resource/screens/list/row-plan'
import { useKeptOffset, useScrollPlace } from '@/resource/screens/list/scroll-place'
import { rowKey, TableRow } from '@/resource/screens/list/table-row'
import { useColumnWidths } from '@/resource/screens/list/use-column-widths'
import type { CellGrid } from '@/resource/tools/inline/cell-grid'
import { lazyPart } from '@/ui/load-chunk'
import { useIsPrinting } from '@/ui/use-is-printing'
import { useMedia } from '@/ui/use-media'

// A list of up to a hundred rows is rendered completely, without this.
const VirtualRows = lazyPart(() =>
  import('@/resource/screens/list/virtual-rows').then((module) => ({ default: module.VirtualRows })),
)

export interface LongTable {
  /** Rows of the list before the first one here. */
  before: number
  /** Rows of the whole list, once they are counted. */
  total: number | undefined
  /** Whether the whole page is read at once instead of while scrolling. */
  isEager: boolean
  /** Loads further rows; does nothing at the end of the list. */
  onNearEnd: () => void
}

/** A field that each row shows and sets by a box before its name. */
export interface TickColumn {
  field: string
  draw: (row: Row) => ReactNode
}

export interface ListTableProps {
  definition: Definition
  words: ResourceWords
  columns: readonly ListColumn[]
  rows: readonly Row[]
  sort: readonly ListSort[]
  density: Density
  onSort: (sort: ListSort[]) => void
  onHover: (row: Row) => void
  /** The element that scrolls; null until it is there. */
  box: HTMLElement | null
  /** The list's address, under which its scroll position is stored. */
  place: string
  /** Absent where users cannot set column widths. */
  onResize: ((field: string, width: number) => void) | undefined
  /** Stored in the link, so that the record's page can return to this list. */
  linkState: unknown
  selection: { isSelected: (row: Row) => boolean; toggle: (row: Row) => void; toggleAll: () => void } | null
  /** In place of the selection. */
  tick: TickColumn | null
  rowMenu: ((row: Row) => ReactNode) | null
  /** While cells are edited, or hold changes that are not saved. */
  grid: CellGrid | null
  /** For lists with more rows than the document can hold at once. */
  long: LongTable | null
}

/** Every row is drawn with these props. */
export interface RowsTable extends ListTableProps {
  plan: readonly PlannedColumn[]
  /** A row's link was pressed. */
  onOpen: (event: MouseEvent<HTMLAnchorElement>) => void
}

/** About one screenful: these rows are painted first, the rest shortly after. */
const FIRST_ROWS = 20

function useFirstRows(rows: readonly Row[], isScrolled: boolean): readonly Row[] {
  const [isWhole, setWhole] = useState(isScrolled || rows.length <= FIRST_ROWS)
  useEffect(() => {
    // After the frame, so that rows out of view do not delay it.
    const timer = window.setTimeout(() => startTransition(() => setWhole(true)), 50)
    return () => window.clearTimeout(timer)
  }, [])
  return isWhole ? rows : rows.slice(0, FIRST_ROWS)
}

/** Stable while the table does not change: a new object renders all rows again. */
function useRowsTable(props: ListTableProps): RowsTable {
  const { definition, columns, linkState } = props
  const navigate = useNavigate()
  const plan = useMemo(() => planColumns(definition, columns), [definition, columns])
  const onOpen = useCallback(
    (event: MouseEvent<HTMLAnchorElement>) => {
      // A new tab or window is the browser's to open.
      const isOther = event.button !== 0 || event.metaKey || event.altKey || event.ctrlKey || event.shiftKey
      if (event.defaultPrevented || isOther) return
      event.preventDefault()
      void navigate(event.currentTarget.pathname, { state: linkState })
    },
    [navigate, linkState],
  )
  return useMemo(() => ({ ...props, plan, onOpen }), [props, plan, onOpen])
}

function Rows({ rows, table }: { rows: readonly Row[]; table: RowsTable }) {
  useColumnWidths(table.box, table, !useIsPrinting())
  return (
    <tbody>
      {rows.map((row) => (
        <TableRow key={rowKey(row)} row={row} table={table} />
      ))}
    </tbody>
  )
}

/** All rows are in the document, so the scroll position can be restored. */
function WholeRows({ rows, table }: { rows: readonly Row[]; table: RowsTable }) {
  const offset = useKeptOffset(table.place)
  useScrollPlace(table.box, table.place, offset)
  return <Rows rows={useFirstRows(rows, offset > 0)} table={table} />
}

/**
 * A plain table: 100 rows of a component library's table cost a tenth of a second to paint and a fifth of the
 * weight a first list may have, and assistive technology knows a plain one best.
 */
export function ListTable(given: ListTableProps) {
  const { definition, grid } = given
  const isNarrow = useMedia('(max-width: 767.98px)') && !grid?.isOn
  const props = useMemo(
    () => (isNarrow ? { ...given, columns: narrowColumns(definition, given.columns) } : given),
    [isNarrow, definition, given],
  )
  const { words, columns, rows, selection, tick, rowMenu, long } = props
  const { t } = useTranslation('engine')
  const table = useRowsTable(props)
  const allSelected = rows.length > 0 && selection !== null && rows.every(selection.isSelected)
  return (
    <table
      className="k-table"
      data-resource={definition.name}
      data-selectable={selection !== null || tick !== null}
      data-narrow={columns !== given.columns}
      {...(grid?.isOn ? { role: 'grid' } : {})}
      {...(long ? { 'aria-rowcount': long.total === undefined ? -1 : long.total + 1 } : {})}
    >
      <caption className="k-visually-hidden">{words.many}</caption>
      <thead>
        <tr {...(long ? { 'aria-rowindex': 1 } : {})}>
          {selection ? (
            <th scope="col" className="k-table-select">
              <input
                type="checkbox"
                aria-label={t(long ? 'list.selectLoaded' : 'list.selectAll')}
                checked={allSelected}
                onChange={selection.toggleAll}
              />
            </th>
          ) : tick ? (
            <th scope="col" className="k-table-select">
              <span className="k-visually-hidden">{words.field(tick.field)}</span>
            </th>
          ) : null}
          {columns.map((column, index) => (
            <HeaderCell key={column.field} column={column} isFirst={index === 0} {...props} />
          ))}
          {rowMenu ? (
            <th scope="col" className="k-table-menu">
              <span className="k-visually-hidden">{t('list.actions')}</span>
            </th>
          ) : null}
        </tr>
      </thead>
      <FieldLinksContext value={!grid?.isOn}>
        {long ? (
          <Suspense fallback={<Rows rows={rows.slice(0, FIRST_ROWS)} table={table} />}>
            {/* Where they stand is measured: before the first paint, but after the box is there. */}
            {props.box ? <VirtualRows table={table} long={long} box={props.box} /> : null}
          </Suspense>
        ) : (
          <WholeRows rows={rows} table={table} />
        )}
      </FieldLinksContext>
    </table>
  )
}
