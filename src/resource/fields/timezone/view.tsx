import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'
import { isTimeZone, offsetText } from '@/resource/fields/timezone/kind'

export function Cell({ value, dense }: CellProps<'timezone'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  return (
    <span>
      {value.replaceAll('_', ' ')}
      {dense || !isTimeZone(value) ? null : (
        <span className="k-soft k-figures"> · {offsetText(value, new Date())}</span>
      )}
    </span>
  )
}
