import { useLayoutEffect } from 'react'
import type { ListColumn } from '@/resource/screens/list/columns'

/** As wide as the rows that stand there want them; from then on the columns keep to it. */
function fixColumns(box: HTMLElement, table: HTMLTableElement): void {
  const cells = [...(table.tHead?.rows[0]?.cells ?? [])]
  table.style.tableLayout = ''
  table.querySelector('colgroup')?.remove()
  const widths = cells.map((cell) => cell.getBoundingClientRect().width)
  const group = document.createElement('colgroup')
  for (const width of widths) {
    const column = document.createElement('col')
    column.style.width = `${width}px`
    group.append(column)
  }
  table.tHead?.before(group)
  table.style.tableLayout = 'fixed'
  markWide(box, table)
}

/** Cells that stay in view sideways are a layer each for the browser: only where there is a sideways. */
function markWide(box: HTMLElement, table: HTMLTableElement): void {
  box.dataset.wide = String(table.offsetWidth > box.clientWidth + 1)
}

function commonHeight(table: HTMLTableElement): number | undefined {
  const counts = new Map<number, number>()
  for (const row of table.querySelectorAll<HTMLElement>('tr[data-row]'))
    counts.set(row.offsetHeight, (counts.get(row.offsetHeight) ?? 0) + 1)
  return [...counts].sort((one, other) => other[1] - one[1])[0]?.[0]
}

/**
 * Rows that come and go while a table is scrolled would each move its columns. They are measured once, and again when
 * other columns stand there, a column was dragged, or the window has another width. So is how tall most rows are: one
 * that is as tall as was thought moves nothing when it comes, where a pixel more would move all below it.
 */
export function useFixedColumns(
  box: HTMLElement,
  columns: readonly ListColumn[],
  hasRows: boolean,
  onHeight: (height: number) => void,
): void {
  const shape = columns.map(({ field, sized }) => `${field}:${sized ?? ''}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other columns are measured anew
  useLayoutEffect(() => {
    const table = box.querySelector('table')
    if (!table || !hasRows) return
    let width = box.clientWidth
    fixColumns(box, table)
    const height = commonHeight(table)
    if (height) onHeight(height)
    const observer = new ResizeObserver(() => {
      // The table's own width follows a column that is being dragged.
      if (box.clientWidth === width) return markWide(box, table)
      width = box.clientWidth
      fixColumns(box, table)
    })
    observer.observe(box)
    observer.observe(table)
    return () => {
      observer.disconnect()
      table.querySelector('colgroup')?.remove()
      table.style.tableLayout = ''
      delete box.dataset.wide
    }
  }, [box, shape, hasRows, onHeight])
}
