import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'
import { currencyOf, formatMoney } from '@/resource/fields/money/currency'

export function Cell({ value, field, row }: CellProps<'money'>) {
  const language = useLanguage()
  if (value === null || value === undefined || value === '') return <Blank />
  const text = formatMoney(Number(value), currencyOf(field.currency, row), language)
  return <span className="k-figures">{text}</span>
}
