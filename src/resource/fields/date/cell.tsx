import { formatDay } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value }: CellProps<'date'>) {
  const language = useLanguage()
  if (typeof value !== 'string' || value === '') return <Blank />
  return <time dateTime={value}>{formatDay(value, language)}</time>
}
