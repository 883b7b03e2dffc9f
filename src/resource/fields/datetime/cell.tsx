import { formatDateTime, formatFirstZone } from '@/i18n/format'
import { useEngineWords } from '@/i18n/use-fixed-words'
import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/blank'
import { UntilTag } from '@/resource/fields/datetime/until-tag'
import type { CellProps } from '@/resource/fields/kind'
import { RelativeTime } from '@/ui/relative-time'

export function Cell(props: CellProps<'datetime'>) {
  const { value, field, row, dense } = props
  const t = useEngineWords()
  const language = useLanguage()
  if (field.until && dense) return <UntilTag {...props} />
  if (typeof value !== 'string' || value === '') return <Blank />
  // Typed in a cell and not a date: shown as it is, beside its error.
  if (Number.isNaN(Date.parse(value))) return <span>{value}</span>
  if (field.local_when && row[field.local_when] === true)
    return <span>{t('cell.deviceClock', { time: formatFirstZone(value, language) })}</span>
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
