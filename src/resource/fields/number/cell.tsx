import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value, field }: CellProps<'number'>) {
  const language = useLanguage()
  if (value === null || value === undefined || value === '') return <Blank />
  const text = formatNumber(Number(value), language, {
    maximumFractionDigits: field.decimals ?? 0,
    useGrouping: field.grouping !== false,
  })
  return <span className="k-figures">{field.unit ? `${text} ${field.unit}` : text}</span>
}
