import { type PointerEvent, useState } from 'react'

/** Moves a condition or group by pointer, mouse or finger alike, to where it is held. */
export function useNodeDrag(onDrop: (id: string, targetId: string, after: boolean) => void) {
  const [dragged, setDragged] = useState<string | null>(null)
  const grab = (id: string, down: PointerEvent<HTMLElement>) => {
    if (down.button !== 0) return
    let before = ''
    const handleMove = (move: globalThis.PointerEvent) => {
      const over = document
        .elementFromPoint(move.clientX, move.clientY)
        ?.closest<HTMLElement>('[data-where-node]')
      const targetId = over?.dataset.whereNode
      if (!over || !targetId || targetId === id) return
      const { top, height } = over.getBoundingClientRect()
      const after = move.clientY > top + height / 2
      // Once a place: the lines move under the pointer, and must not move back for it.
      if (before === `${targetId} ${after}`) return
      before = `${targetId} ${after}`
      setDragged(id)
      onDrop(id, targetId, after)
    }
    // On the window: the line that was grabbed moves in the page, which would end its capture.
    const stop = () => {
      window.removeEventListener('pointermove', handleMove)
      window.removeEventListener('pointerup', stop)
      window.removeEventListener('pointercancel', stop)
      setDragged(null)
    }
    window.addEventListener('pointermove', handleMove)
    window.addEventListener('pointerup', stop)
    window.addEventListener('pointercancel', stop)
  }
  return { dragged, grab }
}
