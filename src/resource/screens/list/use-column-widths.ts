import { useLayoutEffect } from 'react'
import { kindOf } from '@/resource/fields/kinds'
import { fieldAt } from '@/resource/fields/related-field'
import { findDefinition } from '@/resource/language/registry'
import { type ColumnNeed, fitColumns } from '@/resource/screens/list/fit-columns'
import type { RowsTable } from '@/resource/screens/list/list-table'

/** A column that also shows values in smaller type is wider than its kind needs. */
const MIN_WITH_DETAILS = 120
/** Cut shorter, the names of devices or tickets look alike. */
const MIN_NAME = 144
/** The record's name leaves room for other columns on a phone. */
const MAX_NAME_SHARE = 0.44

/** The narrowest that each of the table's own columns may become; null where its values are never cut. */
function minWidths({ definition, columns }: RowsTable): (number | null)[] {
  return columns.map((column) => {
    const field = fieldAt(definition, column.field, findDefinition)
    const min = field ? (kindOf(field.type).minWidth ?? null) : null
    return min !== null && column.with ? Math.max(min, MIN_WITH_DETAILS) : min
  })
}

/** Wide enough for the whole name of the column. */
function headerWidth(cell: HTMLTableCellElement): number {
  const label = cell.querySelector<HTMLElement>('.k-head-label')
  if (!label) return 0
  const pixels = (element: Element, names: ('margin' | 'padding')[]) =>
    names
      .flatMap((name) => [`${name}-inline-start`, `${name}-inline-end`])
      .reduce((sum, name) => sum + Number.parseFloat(getComputedStyle(element).getPropertyValue(name)), 0)
  return label.getBoundingClientRect().width + pixels(label, ['margin']) + pixels(cell, ['padding'])
}

function needsOf(table: HTMLTableElement, rows: RowsTable, available: number): ColumnNeed[] {
  const head = [...(table.tHead?.rows[0]?.cells ?? [])]
  const mins = minWidths(rows)
  const first = rows.selection || rows.tick ? 1 : 0
  return head.map((cell, index) => {
    const natural = cell.getBoundingClientRect().width
    const column = rows.columns[index - first]
    if (!column) return { natural, min: natural, isFixed: true }
    const title = Math.ceil(headerWidth(cell))
    // The resize handle reads it: a header is never pulled narrower than its words.
    cell.dataset.min = String(title)
    if (column.sized) return { natural: Math.max(column.sized, title), min: title, isFixed: true }
    const wanted = Math.max(natural, column.width ?? 0)
    if (index === first) {
      const widest = Math.max(title, available * MAX_NAME_SHARE)
      return {
        natural: Math.min(wanted, widest),
        min: Math.min(Math.max(title, mins[0] ?? 0, MIN_NAME), widest),
      }
    }
    const min = mins[index - first] ?? null
    return { natural: wanted, min: Math.max(title, min ?? natural) }
  })
}

function release(table: HTMLTableElement): void {
  table.querySelector('colgroup')?.remove()
  table.style.width = ''
  delete table.dataset.fixed
}

/** Measures what the columns need with the rows that are there, then fixes their widths. */
function layOut(box: HTMLElement, table: HTMLTableElement, rows: RowsTable): void {
  const { scrollLeft, scrollTop } = box
  release(table)
  table.style.width = 'max-content'
  const available = box.clientWidth
  const widths = fitColumns(needsOf(table, rows, available), available)
  const group = document.createElement('colgroup')
  for (const width of widths) {
    const column = document.createElement('col')
    column.style.width = `${width}px`
    group.append(column)
  }
  table.tHead?.before(group)
  table.dataset.fixed = 'true'
  table.style.width = `${widths.reduce((sum, width) => sum + width, 0)}px`
  const frame = box.parentElement
  const pinned = widths.slice(0, rows.selection || rows.tick ? 2 : 1).reduce((sum, width) => sum + width, 0)
  const scrollbar = box.offsetWidth - box.clientWidth
  frame?.style.setProperty('--k-edge-start', `${pinned}px`)
  frame?.style.setProperty('--k-edge-end', `${scrollbar + (rows.rowMenu ? (widths.at(-1) ?? 0) : 0)}px`)
  box.scrollTo({ left: scrollLeft, top: scrollTop, behavior: 'instant' })
}

/**
 * Fixed column widths: measured with the first rows shown, not with those of the current page, so that
 * scrolling, paging and live updates move no column. They are measured again for other columns, another
 * language or density, and another window width.
 */
export function useColumnWidths(box: HTMLElement | null, rows: RowsTable, isOn: boolean): void {
  const { columns, words, density } = rows
  const shape = [words.many, density, ...columns.map(({ field, sized }) => `${field}:${sized ?? ''}`)].join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape stands for the table
  useLayoutEffect(() => {
    const table = box?.querySelector('table')
    if (!box || !table || !isOn) return
    let width = box.clientWidth
    if (width > 0) layOut(box, table, rows)
    const observer = new ResizeObserver(() => {
      if (box.clientWidth === width) return
      width = box.clientWidth
      if (width > 0) layOut(box, table, rows)
    })
    observer.observe(box)
    return () => {
      observer.disconnect()
      release(table)
    }
  }, [box, shape, isOn])
}
