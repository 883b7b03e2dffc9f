import { type PointerEvent, type ReactNode, useEffect, useState } from 'react'
import { useScrollEdges } from '@/ui/scroll-edges'
import '@/resource/screens/list/table.css'

interface TableFrameProps {
  label: string
  isLong: boolean
  isStale: boolean
  /** Overlays the lower edge, so that the rows do not move when it appears. */
  bar: ReactNode
  children: (box: HTMLElement | null) => ReactNode
}

const CUT = '.k-cell-text, .k-cell-detail, .k-tags, .k-tag-text, .k-color > *'

/** Text that a column cuts off is read in a tooltip. */
function nameCutText({ target }: PointerEvent): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>('tbody :is(td, th)') : null
  if (!cell) return
  const parts = [cell, ...cell.querySelectorAll(CUT)]
  if (parts.some(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1))
    cell.title = cell.innerText.replace(/\s+/g, ' ').trim()
  else if (cell.title) cell.removeAttribute('title')
}

/** The page itself has nothing to scroll: while nothing in it has the focus, these keys scroll the rows. */
function useScrollKeys(box: HTMLElement | null): void {
  useEffect(() => {
    if (!box) return
    const handleKey = (event: KeyboardEvent) => {
      const isPage = event.target instanceof HTMLElement && event.target.matches('body, main')
      if (!isPage || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const page = box.clientHeight * 0.9
      const steps: Partial<Record<string, number>> = {
        PageDown: page,
        PageUp: -page,
        ' ': event.shiftKey ? -page : page,
        ArrowDown: 40,
        ArrowUp: -40,
        Home: -box.scrollHeight,
        End: box.scrollHeight,
      }
      const top = steps[event.key]
      if (top === undefined) return
      event.preventDefault()
      box.scrollBy({ top })
    }
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [box])
}

/** The table scrolls inside, below its header and above the pager, so that changes around it move no row. */
export function TableFrame({ label, isLong, isStale, bar, children }: TableFrameProps) {
  const [box, setBox] = useState<HTMLElement | null>(null)
  // The room for the bar is kept: removing it would move the last rows.
  const [hasRoom, setRoom] = useState(false)
  if (bar && !hasRoom) setRoom(true)
  useScrollEdges(box)
  useScrollKeys(box)
  return (
    <div className="k-table-frame">
      <section
        ref={setBox}
        className="k-table-box"
        data-long={isLong}
        data-stale={isStale}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the keyboard's focus
        tabIndex={0}
        onPointerOver={nameCutText}
      >
        {/* Before the rows for the keyboard, below them for the eye. */}
        <div className="k-table-dock" data-room={hasRoom} data-empty={!bar}>
          {bar}
        </div>
        {children(box)}
      </section>
    </div>
  )
}
