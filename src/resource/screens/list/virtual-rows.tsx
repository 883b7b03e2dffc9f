import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import {
  type FocusEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import type { ListTableProps, LongTable } from '@/resource/screens/list/list-table'
import { keepPlace, placeOf } from '@/resource/screens/list/scroll-place'
import { rowKey, TableRow } from '@/resource/screens/list/table-row'
import { useFixedColumns } from '@/resource/screens/list/use-fixed-columns'
import { useIsPrinting } from '@/resource/screens/list/use-is-printing'

/** A row of one line and one in smaller type, until it has been measured. */
const ROW_HEIGHT = 45
/** The header's, which lies over the first row's place. */
const HEAD_HEIGHT = 40
/** Rows beyond either edge of the window: a key held down never comes to a row that is not there. */
const OVERSCAN = 8
/** How far from the end the next rows are asked for. */
const NEAR_END = 150

interface VirtualRowsProps {
  table: ListTableProps
  long: LongTable
  box: RefObject<HTMLElement | null>
}

function Gap({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null
  return (
    <tr className="k-gap">
      <td colSpan={columns} style={{ height }} />
    </tr>
  )
}

/** Only the rows near the window stand in the document, and the one that has the focus, with its neighbours. */
export function VirtualRows({ table, long, box }: VirtualRowsProps) {
  const { rows, columns, selection, rowMenu } = table
  const [focused, setFocused] = useState<string | null>(null)
  const focusedIndex = focused === null ? -1 : rows.findIndex((row) => rowKey(row) === focused)
  const isPrinting = useIsPrinting()
  useFixedColumns(box, columns)
  const [kept] = useState(() => placeOf(long.place))
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: useCallback((index: number) => (rows[index] ? rowKey(rows[index]) : index), [rows]),
    overscan: OVERSCAN,
    scrollMargin: HEAD_HEIGHT,
    rangeExtractor: useCallback(
      (range: Range) => {
        const indexes = new Set(defaultRangeExtractor(range))
        if (focusedIndex !== -1)
          for (const index of [focusedIndex - 1, focusedIndex, focusedIndex + 1])
            if (index >= 0 && index < range.count) indexes.add(index)
        return [...indexes].sort((a, b) => a - b)
      },
      [focusedIndex],
    ),
    ...(kept ? { initialOffset: kept.offset, initialMeasurementsCache: kept.measurements } : {}),
  })

  const { place } = long
  const lastPlace = useRef(place)
  useLayoutEffect(() => {
    const element = box.current
    // Sorted or narrowed, the list is another one: it begins at its top.
    if (lastPlace.current !== place) element?.scrollTo({ top: 0 })
    lastPlace.current = place
    let offset = element?.scrollTop ?? 0
    const handleScroll = () => {
      offset = element?.scrollTop ?? offset
    }
    element?.addEventListener('scroll', handleScroll, { passive: true })
    return () => {
      element?.removeEventListener('scroll', handleScroll)
      keepPlace(place, { offset, measurements: virtualizer.measurementsCache })
    }
  }, [box, place, virtualizer])

  const items = virtualizer.getVirtualItems()
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
          <TableRow key={rowKey(row)} row={row} table={table} />
        ))}
      </tbody>
    )
  const width = columns.length + (selection ? 1 : 0) + (rowMenu ? 1 : 0)
  let end = HEAD_HEIGHT
  const shown = items.flatMap((item) => {
    const row = rows[item.index]
    if (!row) return []
    const gap = item.start - end
    end = item.end
    return [
      <Gap key={`gap-${rowKey(row)}`} height={gap} columns={width} />,
      <TableRow
        key={rowKey(row)}
        row={row}
        table={table}
        index={item.index}
        rowIndex={long.before + item.index + 2}
        measure={virtualizer.measureElement}
      />,
    ]
  })
  return (
    <tbody onFocus={handleFocus}>
      {shown}
      <Gap height={virtualizer.getTotalSize() + HEAD_HEIGHT - end} columns={width} />
    </tbody>
  )
}
