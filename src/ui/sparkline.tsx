interface SparklineProps {
  /** In time; null breaks the line. `value` is a percentage. */
  dots: readonly { at: number; value: number | null }[]
  /** The span that the whole width stands for, in the unit of `at`. */
  from: number
  to: number
  label: string
}

const WIDTH = 240
const HEIGHT = 48

/** A small chart of percentages over time, as wide as its place. */
export function Sparkline({ dots, from, to, label }: SparklineProps) {
  const x = (at: number) => (((at - from) / (to - from)) * WIDTH).toFixed(1)
  const y = (value: number) => (HEIGHT - (value / 100) * HEIGHT).toFixed(1)
  let isOpen = false
  const path = dots
    .map(({ at, value }) => {
      if (value === null) {
        isOpen = false
        return ''
      }
      const command = isOpen ? 'L' : 'M'
      // A single value between two gaps is a dot.
      const dot = isOpen ? '' : 'h0.1'
      isOpen = true
      return `${command}${x(at)} ${y(value)}${dot}`
    })
    .join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      style={{ display: 'block', width: '100%', height: HEIGHT, overflow: 'visible' }}
    >
      <path d={`M0 ${HEIGHT}H${WIDTH}`} stroke="var(--k-line)" vectorEffect="non-scaling-stroke" />
      <path
        d={path}
        fill="none"
        stroke="var(--k-primary)"
        strokeWidth={1.5}
        strokeLinejoin="round"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  )
}
