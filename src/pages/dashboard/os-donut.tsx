import { Pie } from '@ant-design/plots'
import { useMemo } from 'react'
import { useNavigate } from 'react-router'
import css from './dashboard-page.module.css'

export type Slice = { key: string; name: string; count: number; color: string; to: string }

const OUTER_RADIUS = 120
const INNER_RADIUS = 60
const PADDING_ANGLE = 2

export function OsDonut({ slices, label }: { slices: Slice[]; label: string }) {
  const navigate = useNavigate()
  const hasMany = slices.length > 1
  const config = useMemo(
    () => ({
      data: slices,
      angleField: 'count',
      colorField: 'name',
      width: OUTER_RADIUS * 2,
      height: OUTER_RADIUS * 2,
      autoFit: false,
      margin: 0,
      padding: 0,
      inset: 0,
      radius: 1,
      innerRadius: INNER_RADIUS / OUTER_RADIUS,
      // G2 names it inset; in a polar coordinate it is the angle, in degrees, between two arcs.
      style: { inset: hasMany ? PADDING_ANGLE : 0, cursor: 'pointer' },
      scale: { color: { domain: slices.map(({ name }) => name), range: slices.map(({ color }) => color) } },
      legend: false as const,
      label: false as const,
      tooltip: { title: '', items: [{ field: 'count', name: '' }] },
      animate: false as const,
    }),
    [slices, hasMany],
  )
  return (
    <div role="img" aria-label={label} className={css.donut}>
      <Pie
        {...config}
        onEvent={(_chart: unknown, event: { type: string; data?: { data?: Slice } }) => {
          const slice = event.type === 'element:click' ? event.data?.data : undefined
          if (slice) navigate(slice.to)
        }}
      />
    </div>
  )
}
