import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value, field }: CellProps<'percent'>) {
  const language = useLanguage()
  if (value === null || value === undefined || value === '') return <Blank />
  // Turkish writes %12, English 12%: the locale's own pattern, which counts from 0 to 1.
  const text = formatNumber(Number(value) / 100, language, {
    style: 'percent',
    maximumFractionDigits: field.decimals ?? 0,
  })
  return <span className="k-figures">{text}</span>
}
