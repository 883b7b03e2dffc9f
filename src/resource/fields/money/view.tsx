import { formatNumber } from '@/i18n/format'
import type { Language } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'

/** The code in force: fixed, or that of another field of the record; undefined while that one is empty. */
export function currencyOf(currency: string, record: Record<string, unknown>): string | undefined {
  const code = currency.startsWith('$record.') ? record[currency.slice('$record.'.length)] : currency
  return typeof code === 'string' && /^[A-Z]{3}$/.test(code) ? code : undefined
}

/** `₺1.234,50` / `TRY 1,234.50`, as the reader's language has it; without a currency, the bare amount. */
export function formatMoney(value: number, currency: string | undefined, language: Language): string {
  return formatNumber(value, language, {
    ...(currency ? { style: 'currency', currency } : {}),
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  })
}

export function Cell({ value, field, row }: CellProps<'money'>) {
  const language = useLanguage()
  if (value === null || value === undefined || value === '') return <Blank />
  const text = formatMoney(Number(value), currencyOf(field.currency, row), language)
  return <span className="k-figures">{text}</span>
}
