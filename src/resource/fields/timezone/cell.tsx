import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'
import { isTimeZone, offsetText } from '@/resource/fields/timezone/zones'

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
