import { formatDateTime, formatTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useFieldWord } from '@/resource/definition/words'
import { toneOf } from '@/resource/fields/enum/tone'
import type { CellProps } from '@/resource/fields/kind'
import { StatusTag } from '@/ui/status-tag'

/** A state that ends by itself: its label and its end, and nothing once it is over. */
export function UntilTag({ value, field, name, resource }: CellProps<'datetime'>) {
  const language = useLanguage()
  const label = useFieldWord(resource)
  const end = new Date(String(value))
  if (!(end.getTime() > Date.now())) return null
  const isToday = end.toDateString() === new Date().toDateString()
  return (
    <StatusTag tone={toneOf(field.until)}>
      {label(name)} {isToday ? formatTime(end, language) : formatDateTime(end, language)}
    </StatusTag>
  )
}
