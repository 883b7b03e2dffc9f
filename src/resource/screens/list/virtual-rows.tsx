import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import {
  type FocusEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useState,
} from 'react'
import type { LongTable, RowsTable } from '@/resource/screens/list/list-table'
import { placeOf, useScrollPlace } from '@/resource/screens/list/scroll-place'
import { rowKey, TableRow } from '@/resource/screens/list/table-row'
import { useColumnWidths } from '@/resource/screens/list/use-column-widths'
import { useIsPrinting } from '@/ui/use-is-printing'

/** A row of one line and one in smaller type, until one has been measured. */
const ROW_HEIGHT = 45
/** The header's, which lies over the first row's place. */
const HEAD_HEIGHT = 40
/** Rows beyond either edge of the window: a key held down never comes to a row that is not there. */
const OVERSCAN = 8
/** The distance from the end at which further rows are loaded. */
const NEAR_END = 150

/** A row that is as tall as was estimated moves nothing when it comes; a pixel more would move all below it. */
function commonHeight(box: HTMLElement): number | undefined {
  const counts = new Map<number, number>()
  for (const row of box.querySelectorAll<HTMLElement>('tr[data-row]'))
    counts.set(row.offsetHeight, (counts.get(row.offsetHeight) ?? 0) + 1)
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0]
}

interface VirtualRowsProps {
  table: RowsTable
  long: LongTable
  box: HTMLElement
}

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr className="k-gap">
      <td colSpan={columns} style={{ height }} />
    </tr>
  )
}

/**
 * The document holds only the rows near the viewport, the focused row with its neighbors, and the row being
 * edited: its focus may be in a popup elsewhere, and removing the row would lose the input.
 */
export function VirtualRows({ table, long, box }: VirtualRowsProps) {
  const { rows, columns, selection, tick, rowMenu } = table
  const [focused, setFocused] = useState<string | null>(null)
  const edited = table.grid?.edited ?? null
  const keptIndexes = useMemo(() => {
    const indexOf = (id: string) => rows.findIndex((row) => rowKey(row) === id)
    const at = focused === null ? -1 : indexOf(focused)
    return [...(at === -1 ? [] : [at - 1, at, at + 1]), edited === null ? -1 : indexOf(edited)]
  }, [rows, focused, edited])
  const isPrinting = useIsPrinting()
  const [kept] = useState(() => placeOf(table.place))
  const [height, setHeight] = useState(ROW_HEIGHT)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box,
    estimateSize: () => height,
    // biome-ignore lint/correctness/useExhaustiveDependencies: another one has the rows that were not seen laid out anew
    getItemKey: useCallback((index: number) => (rows[index] ? rowKey(rows[index]) : index), [rows, height]),
    overscan: OVERSCAN,
    // Rows beyond the edge are visible until the new ones are rendered, so scrolling never waits.
    useFlushSync: false,
    scrollMargin: HEAD_HEIGHT,
    rangeExtractor: useCallback(
      (range: Range) => {
        const indexes = new Set(defaultRangeExtractor(range))
        for (const index of keptIndexes) if (index >= 0 && index < range.count) indexes.add(index)
        return [...indexes].sort((a, b) => a - b)
      },
      [keptIndexes],
    ),
    // The first rows were there before this code loaded; the scroll position must not change.
    initialOffset: kept?.offset ?? (() => box.scrollTop),
    ...(kept ? { initialMeasurementsCache: kept.measurements } : {}),
  })

  useScrollPlace(box, table.place, null, () => virtualizer.measurementsCache)
  const items = virtualizer.getVirtualItems()
  const hasRows = items.length > 0 && !isPrinting
  useColumnWidths(box, table, hasRows)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other columns and another density have other heights
  useLayoutEffect(() => {
    if (hasRows) setHeight((before) => commonHeight(box) ?? before)
  }, [box, hasRows, columns, table.density])
  const last = items.at(-1)?.index ?? 0
  const { isEager, onNearEnd } = long
  useEffect(() => {
    if (isEager || rows.length - last < NEAR_END) onNearEnd()
  })

  const handleFocus = (event: FocusEvent) => {
    setFocused(event.target.closest<HTMLElement>('tr[data-row]')?.dataset.row ?? null)
  }
  if (isPrinting)
    return (
      <tbody>
        {rows.map((row) => (
          // Another row than the one on the screen, whose height is watched.
          <TableRow key={`print-${rowKey(row)}`} row={row} table={table} />
        ))}
      </tbody>
    )
  const width = columns.length + (selection || tick ? 1 : 0) + (rowMenu ? 1 : 0)
  let end = HEAD_HEIGHT
  let gaps = 0
  const shown: ReactNode[] = []
  const leaveOut = (room: number) => {
    // The key is the gap's place, so that the gap grows as rows leave and is not recreated.
    if (room > 0) shown.push(<Gap key={`gap-${gaps++}`} height={room} columns={width} />)
  }
  for (const item of items) {
    const row = rows[item.index]
    if (!row) continue
    leaveOut(item.start - end)
    end = item.end
    shown.push(
      <TableRow
        key={rowKey(row)}
        row={row}
        table={table}
        index={item.index}
        rowIndex={long.before + item.index + 2}
        measure={virtualizer.measureElement}
      />,
    )
  }
  leaveOut(virtualizer.getTotalSize() + HEAD_HEIGHT - end)
  return <tbody onFocus={handleFocus}>{shown}</tbody>
}
