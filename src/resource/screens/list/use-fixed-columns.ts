import { type RefObject, useLayoutEffect } from 'react'
import type { ListColumn } from '@/resource/screens/list/columns'

/** As wide as the rows that stand there want them; from then on the columns keep to it. */
function fixColumns(table: HTMLTableElement): void {
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
}

/**
 * Rows that come and go while a table is scrolled would each move its columns. They are measured once, and again when
 * other columns stand there, a column was dragged, or the window has another width.
 */
export function useFixedColumns(box: RefObject<HTMLElement | null>, columns: readonly ListColumn[]): void {
  const shape = columns.map(({ field, sized }) => `${field}:${sized ?? ''}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other columns are measured anew
  useLayoutEffect(() => {
    const element = box.current
    const table = element?.querySelector('table')
    if (!element || !table) return
    let width = element.clientWidth
    fixColumns(table)
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return
      width = element.clientWidth
      fixColumns(table)
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
      table.querySelector('colgroup')?.remove()
      table.style.tableLayout = ''
    }
  }, [box, shape])
}
