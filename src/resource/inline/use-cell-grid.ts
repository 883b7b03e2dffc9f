import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type CellGrid, type CellPlace, OPEN_CELL } from '@/resource/inline/cell-grid'
import {
  cellAt,
  cellBeside,
  cellByKey,
  firstCell,
  focusCell,
  keepOneStop,
  placeOfCell,
} from '@/resource/inline/grid-moves'

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
