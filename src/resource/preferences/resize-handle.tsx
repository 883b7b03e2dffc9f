import type { PointerEvent } from 'react'
import { clampWidth } from '@/resource/preferences/column-choice'

/** A column follows the pointer in every row, its contents cut off where they no longer fit. */
function size(header: HTMLTableCellElement, width: number): void {
  const table = header.closest('table')
  const rows = table?.rows ?? []
  for (const row of rows) {
    const cell = row.cells[header.cellIndex]
    if (!cell) continue
    cell.style.maxWidth = `${width}px`
    cell.style.overflow = 'hidden'
  }
  // A long table's columns have been measured, and keep to that.
  const column = table?.querySelectorAll('col')[header.cellIndex]
  if (column) column.style.width = `${width}px`
  header.style.width = `${width}px`
  header.style.minWidth = `${width}px`
}

/** Pulls a column wider or narrower. By keyboard the same is done in the column chooser. */
export function ResizeHandle({ onResize }: { onResize: (width: number) => void }) {
  const handlePointerDown = (down: PointerEvent<HTMLSpanElement>) => {
    const handle = down.currentTarget
    const header = handle.closest('th')
    if (!header || down.button !== 0) return
    down.preventDefault()
    handle.setPointerCapture(down.pointerId)
    const start = header.getBoundingClientRect().width
    let width = start
    const handleMove = (move: globalThis.PointerEvent) => {
      width = clampWidth(start + move.clientX - down.clientX)
      size(header, width)
    }
    const handleEnd = () => {
      handle.removeEventListener('pointermove', handleMove)
      handle.removeEventListener('pointerup', handleEnd)
      handle.removeEventListener('pointercancel', handleEnd)
      if (width !== start) onResize(width)
    }
    handle.addEventListener('pointermove', handleMove)
    handle.addEventListener('pointerup', handleEnd)
    handle.addEventListener('pointercancel', handleEnd)
  }
  return <span className="k-resize" aria-hidden="true" onPointerDown={handlePointerDown} />
}
