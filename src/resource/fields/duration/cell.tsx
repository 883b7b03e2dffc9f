import { useTranslation } from 'react-i18next'
import { Blank } from '@/resource/fields/blank'
import { splitDuration } from '@/resource/fields/duration/split-duration'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value }: CellProps<'duration'>) {
  const { t } = useTranslation('engine')
  if (value === null || value === undefined || value === '') return <Blank />
  const parts = splitDuration(Number(value)).map(({ unit, amount }) => t(`units.${unit}`, { amount }))
  return <span className="k-figures">{parts.join(' ')}</span>
}
