import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type CellGrid, type CellPlace, OPEN_CELL } from '@/resource/tools/inline/cell-grid'

function rowsOf(root: Element): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>('tbody tr[data-row]')]
}

function openCells(element: Element): HTMLElement[] {
  return [...element.querySelectorAll<HTMLElement>(OPEN_CELL)]
}

function placeOfCell(cell: HTMLElement): CellPlace | null {
  const id = cell.closest<HTMLElement>('tr[data-row]')?.dataset.row
  const field = cell.dataset.cell
  return id !== undefined && field !== undefined ? { id, field } : null
}

function cellAt(root: Element, { id, field }: CellPlace): HTMLElement | null {
  const row = rowsOf(root).find((each) => each.dataset.row === id)
  return row ? (openCells(row).find((cell) => cell.dataset.cell === field) ?? null) : null
}

/** The cell that Tab comes to is one: the last that had the focus, or the first. */
function keepOneStop(root: Element): void {
  const cells = openCells(root)
  if (cells.some((cell) => cell.tabIndex === 0)) return
  const [first] = cells
  if (first) first.tabIndex = 0
}

function focusCell(root: Element, cell: HTMLElement | null | undefined): boolean {
  if (!cell) return false
  for (const other of openCells(root)) if (other !== cell && other.tabIndex === 0) other.tabIndex = -1
  cell.tabIndex = 0
  cell.focus({ preventScroll: true })
  cell.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  return true
}

/** To start with: the first open cell of the row that has the focus, or of the list. */
function firstCell(root: Element): HTMLElement | undefined {
  const row = document.activeElement?.closest('tr[data-row]')
  return (row && root.contains(row) ? openCells(row)[0] : undefined) ?? openCells(root)[0]
}

/** The open cell a step away in reading order; rows follow each other. */
function cellBeside(root: Element, cell: HTMLElement, step: 1 | -1): HTMLElement | undefined {
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
function cellByKey(root: Element, cell: HTMLElement, event: KeyboardEvent): HTMLElement | undefined {
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

/** Where the focus goes when an editor closes; nowhere when it was left for something else. */
export type Move = 'stay' | 'next' | 'previous' | 'none'

interface GridOptions {
  root: RefObject<HTMLElement | null>
  grid: CellGrid
  start: CellPlace | null
  onGrid: (grid: CellGrid | null) => void
  onOff: () => void
}

const SWITCH = '.k-edit-cells'
/** Out of the grid one comes to what was changed, or to the switch. */
const WAYS_OUT = ['.k-changes-review', SWITCH]
const STEP = { stay: 0, next: 1, previous: -1, none: null } as const

/**
 * Hands the grid to the table, and moves in it: one listener a kind of press for all cells. The focus is the
 * document's own affair, so that a step paints nothing anew.
 */
export function useCellGrid({ root, grid, start, onGrid, onOff }: GridOptions, edit: CellEdit): void {
  const { isOn } = grid
  const latest = useRef({ edit, onOff })
  useLayoutEffect(() => {
    latest.current = { edit, onOff }
  })
  useLayoutEffect(() => onGrid(grid), [grid, onGrid])
  useEffect(() => () => onGrid(null), [onGrid])

  // Before anything is focused: the switch keeps the focus when it was pressed itself.
  const isToStart = useRef(false)
  useLayoutEffect(() => {
    isToStart.current = isOn && (start !== null || document.activeElement?.matches(SWITCH) !== true)
  }, [isOn, start])
  useLayoutEffect(() => {
    const box = root.current
    if (!box || !isOn || !box.querySelector(OPEN_CELL)) return
    keepOneStop(box)
    if (isToStart.current) {
      isToStart.current = false
      const cell = start ? cellAt(box, start) : firstCell(box)
      if (start && cell) latest.current.edit.open(start)
      else focusCell(box, cell ?? firstCell(box))
      return
    }
    const { left } = latest.current.edit
    const step = left.current ? STEP[left.current.move] : null
    const cell = left.current && step !== null ? cellAt(box, left.current.place) : null
    if (!cell) return
    left.current = null
    focusCell(box, step ? (cellBeside(box, cell, step) ?? cell) : cell)
  })

  useEffect(() => {
    const box = root.current
    if (!box || !isOn) return
    const open = (cell: HTMLElement) => {
      const place = placeOfCell(cell)
      if (place) latest.current.edit.open(place)
    }
    const cellOf = (target: EventTarget | null) =>
      target instanceof Element ? target.closest<HTMLElement>(OPEN_CELL) : null
    const handleClick = (event: MouseEvent) => {
      const cell = cellOf(event.target)
      if (!cell || event.defaultPrevented) return
      // A link drawn by a component of a resource's own must not take the page away from under the editor.
      if (event.target instanceof Element && event.target.closest('a[href]')) event.preventDefault()
      open(cell)
    }
    const handleKey = (event: KeyboardEvent) => {
      const cell = cellOf(event.target)
      if (!cell || cell !== event.target || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'Enter' || event.key === 'F2') open(cell)
      else if (event.key === 'Escape') {
        const [way] = WAYS_OUT.flatMap((one) => box.querySelector<HTMLElement>(one) ?? [])
        way?.focus()
      } else if (event.key === 'c') {
        box.querySelector<HTMLElement>(SWITCH)?.focus()
        latest.current.onOff()
      } else if (!focusCell(box, cellByKey(box, cell, event))) return
      event.preventDefault()
    }
    /** The tooltip shows the earlier value, as the kind's own cell writes it; a title takes text alone. */
    const handleOver = (event: Event) => {
      const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-cell]') : null
      const was = cell?.querySelector('.k-cell-was')?.textContent
      if (cell && cell.title !== (was ?? '')) cell.title = was ?? ''
    }
    box.addEventListener('click', handleClick)
    box.addEventListener('keydown', handleKey)
    box.addEventListener('pointerover', handleOver)
    return () => {
      box.removeEventListener('click', handleClick)
      box.removeEventListener('keydown', handleKey)
      box.removeEventListener('pointerover', handleOver)
    }
  }, [root, isOn])
}

export interface CellEdit {
  place: CellPlace | null
  /** The cell whose editor closed last, until the focus is back. */
  left: RefObject<{ place: CellPlace; move: Move } | null>
  open: (place: CellPlace) => void
  close: (place: CellPlace, move: Move) => void
}

/** Which cell has its editor open. */
export function useCellEdit(): CellEdit {
  const [place, setPlace] = useState<CellPlace | null>(null)
  const left = useRef<{ place: CellPlace; move: Move } | null>(null)
  const open = useCallback((next: CellPlace) => {
    left.current = null
    setPlace(next)
  }, [])
  const close = useCallback((from: CellPlace, move: Move) => {
    left.current = move === 'none' ? null : { place: from, move }
    // Another cell may have been pressed, whose editor is open by now.
    setPlace((now) => (now?.id === from.id && now.field === from.field ? null : now))
  }, [])
  return { place, left, open, close }
}
