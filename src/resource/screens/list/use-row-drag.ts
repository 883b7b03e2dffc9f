import { type PointerEvent, type RefObject, useRef, useState } from 'react'
import { moveColumn } from '@/resource/request/query/columns'

interface RowDrag<Item> {
  /** In the order in which they would be dropped now. */
  items: readonly Item[]
  dragged: number | null
  listRef: RefObject<HTMLOListElement | null>
  grab: (index: number, event: PointerEvent<HTMLElement>) => void
}

/** Puts lines into another order by pointer, mouse or finger alike; told once, when they are dropped. */
export function useRowDrag<Item>(
  items: readonly Item[],
  onOrder: (items: readonly Item[]) => void,
): RowDrag<Item> {
  const listRef = useRef<HTMLOListElement>(null)
  const [held, setHeld] = useState<{ items: readonly Item[]; index: number } | null>(null)

  const grab = (index: number, down: PointerEvent<HTMLElement>) => {
    const list = listRef.current
    if (!list || down.button !== 0) return
    let order = items
    let place = index
    setHeld({ items: order, index: place })
    const handleMove = (move: globalThis.PointerEvent) => {
      const lines = [...list.children].map((line) => line.getBoundingClientRect())
      const over = lines.findIndex(({ bottom }) => move.clientY < bottom)
      const to = over === -1 ? lines.length - 1 : over
      if (to === place) return
      order = moveColumn(order, place, to)
      place = to
      setHeld({ items: order, index: place })
    }
    // On the window: the line that was grabbed moves in the page, which would end its capture.
    const stop = () => {
      window.removeEventListener('pointermove', handleMove)
      window.removeEventListener('pointerup', handleEnd)
      window.removeEventListener('pointercancel', stop)
      setHeld(null)
    }
    const handleEnd = () => {
      stop()
      if (place !== index) onOrder(order)
    }
    window.addEventListener('pointermove', handleMove)
    window.addEventListener('pointerup', handleEnd)
    window.addEventListener('pointercancel', stop)
  }
  return { items: held?.items ?? items, dragged: held?.index ?? null, listRef, grab }
}
