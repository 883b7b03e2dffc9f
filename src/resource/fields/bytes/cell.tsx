import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/blank'
import { formatBytes } from '@/resource/fields/bytes/format-bytes'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value, field }: CellProps<'bytes'>) {
  const language = useLanguage()
  if (value === null || value === undefined || value === '') return <Blank />
  return <span className="k-figures">{formatBytes(Number(value), field.unit ?? 'B', language)}</span>
}
