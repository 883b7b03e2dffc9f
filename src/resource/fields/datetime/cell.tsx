import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'
import { RelativeTime } from '@/ui/relative-time'

export function Cell({ value, field, dense }: CellProps<'datetime'>) {
  const language = useLanguage()
  if (typeof value !== 'string' || value === '') return <Blank />
  // Typed in a cell and not a date: shown as it is, beside its error.
  if (Number.isNaN(Date.parse(value))) return <span>{value}</span>
  if (field.relative && dense) return <RelativeTime value={value} />
  return (
    <span>
      <time dateTime={value}>{formatDateTime(value, language)}</time>
      {field.relative ? (
        <span className="k-soft">
          {' · '}
          <RelativeTime value={value} />
        </span>
      ) : null}
    </span>
  )
}
