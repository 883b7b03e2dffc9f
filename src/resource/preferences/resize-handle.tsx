import type { PointerEvent } from 'react'
import { clampWidth } from '@/resource/preferences/column-choice'

function size(header: HTMLTableCellElement, width: number): void {
  const column = header.closest('table')?.querySelectorAll('col')[header.cellIndex]
  if (column) column.style.width = `${width}px`
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
    const least = Number(header.dataset.min ?? 0)
    let width = start
    const handleMove = (move: globalThis.PointerEvent) => {
      width = Math.max(least, clampWidth(start + move.clientX - down.clientX))
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
