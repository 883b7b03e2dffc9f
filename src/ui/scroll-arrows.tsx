import '@/ui/scroll-edges.css'

const SIDES = [
  { side: 'start', sign: '‹', direction: -1 },
  { side: 'end', sign: '›', direction: 1 },
] as const

/**
 * Arrows at the cut edges of a sideways scroller, its sibling in an element of class `k-more`. They are for the mouse
 * alone: by keyboard the focus moves through the scroller itself.
 */
export function ScrollArrows({ scroller }: { scroller: HTMLElement | null }) {
  return SIDES.map(({ side, sign, direction }) => (
    <button
      key={side}
      type="button"
      className="k-more-arrow"
      data-side={side}
      aria-hidden="true"
      tabIndex={-1}
      onClick={() => scroller?.scrollBy({ left: direction * scroller.clientWidth * 0.8, behavior: 'smooth' })}
    >
      {sign}
    </button>
  ))
}
