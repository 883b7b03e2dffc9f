import { type CellPlace, OPEN_CELL } from '@/resource/inline/cell-grid'

function rowsOf(root: Element): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('tbody tr[data-row]')]
}

function openCells(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(OPEN_CELL)]
}

export function placeOfCell(cell: HTMLElement): CellPlace | null {
  const id = cell.closest<HTMLElement>('tr[data-row]')?.dataset.row
  const field = cell.dataset.cell
  return id !== undefined && field !== undefined ? { id, field } : null
}

export function cellAt(root: Element, { id, field }: CellPlace): HTMLElement | null {
  const row = rowsOf(root).find((each) => each.dataset.row === id)
  return row ? (openCells(row).find((cell) => cell.dataset.cell === field) ?? null) : null
}

/** The cell that Tab comes to is one: the last that had the focus, or the first. */
export function keepOneStop(root: Element): void {
  const cells = openCells(root)
  if (cells.some((cell) => cell.tabIndex === 0)) return
  const [first] = cells
  if (first) first.tabIndex = 0
}

export function focusCell(root: Element, cell: HTMLElement | null | undefined): boolean {
  if (!cell) return false
  for (const other of openCells(root)) if (other !== cell && other.tabIndex === 0) other.tabIndex = -1
  cell.tabIndex = 0
  cell.focus({ preventScroll: true })
  cell.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  return true
}

/** To start with: the first open cell of the row that has the focus, or of the list. */
export function firstCell(root: Element): HTMLElement | undefined {
  const row = document.activeElement?.closest('tr[data-row]')
  return (row && root.contains(row) ? openCells(row)[0] : undefined) ?? openCells(root)[0]
}

/** The open cell a step away in reading order; rows follow each other. */
export function cellBeside(root: Element, cell: HTMLElement, step: 1 | -1): HTMLElement | undefined {
  const cells = openCells(root)
  return cells[cells.indexOf(cell) + step]
}

/** The nearest open cell of the same column above or below. */
function cellAlong(root: Element, cell: HTMLElement, step: 1 | -1): HTMLElement | undefined {
  const rows = rowsOf(root)
  const row = cell.closest<HTMLElement>('tr[data-row]')
  let at = (row ? rows.indexOf(row) : -1) + step
  for (let next = rows[at]; next; at += step, next = rows[at]) {
    const found = openCells(next).find((each) => each.dataset.cell === cell.dataset.cell)
    if (found) return found
  }
  return undefined
}

/** Where a key leads from a cell; undefined for keys that lead nowhere. */
export function cellByKey(root: Element, cell: HTMLElement, event: KeyboardEvent): HTMLElement | undefined {
  const row = cell.closest('tr[data-row]')
  const ofRow = row ? openCells(row) : []
  switch (event.key) {
    case 'ArrowRight':
      return ofRow[ofRow.indexOf(cell) + 1]
    case 'ArrowLeft':
      return ofRow[ofRow.indexOf(cell) - 1]
    case 'ArrowDown':
      return cellAlong(root, cell, 1)
    case 'ArrowUp':
      return cellAlong(root, cell, -1)
    case 'Home':
      return ofRow[0]
    case 'End':
      return ofRow.at(-1)
    case 'Tab':
      return cellBeside(root, cell, event.shiftKey ? -1 : 1)
    default:
      return undefined
  }
}
