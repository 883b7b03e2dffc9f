import { Blank } from '@/resource/fields/blank'
import { useDurationText } from '@/resource/fields/duration/use-duration-text'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value }: CellProps<'duration'>) {
  const durationText = useDurationText()
  if (value === null || value === undefined || value === '') return <Blank />
  return <span className="k-figures">{durationText(Number(value))}</span>
}
