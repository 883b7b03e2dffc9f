import { useTranslation } from 'react-i18next'
import { formatDay, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { kindOf } from '@/resource/fields/kinds'
import { fieldAt, relatedField } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useValueWord } from '@/resource/language/words'
import {
  calendarDay,
  choicesOf,
  filterStyle,
  isDay,
  periodOf,
  splitIds,
  splitList,
  splitRange,
} from '@/resource/request/filter/from-url'
import { recordTitle } from '@/resource/request/query/title'
import { useChosen } from '@/resource/request/query/use-record-query'

interface FilterValueProps {
  definition: Definition
  name: string
  value: string
}

/** Shows the value of a filter in words. */
export function FilterValue({ definition, name, value }: FilterValueProps) {
  const field = fieldAt(definition, name, findDefinition)
  const style = field ? filterStyle(field) : undefined
  if (!field || style === undefined) return null
  const related = relatedField(definition, name, findDefinition)
  const resource = related?.target.name ?? definition.name
  const parts = { field, value, resource, name: related?.name ?? name }
  switch (style) {
    case 'record':
      return <RecordNames {...parts} />
    case 'choice':
    case 'words':
      return <ChosenWords {...parts} />
    case 'yesNo':
      return <YesOrNo {...parts} />
    case 'contains':
      return <Contained {...parts} />
    default:
      return <Range {...parts} isDays={style === 'days'} />
  }
}

interface PartProps {
  field: Field
  value: string
  resource: string
  name: string
}

function ChosenWords({ field, value, resource, name }: PartProps) {
  const word = useValueWord(resource, name)
  const { isClosed } = choicesOf(field)
  return (
    <span>
      {splitList(value)
        .map((each) => (isClosed ? word(each) : each))
        .join(', ')}
    </span>
  )
}

function YesOrNo({ value }: PartProps) {
  const { t } = useTranslation('engine')
  return <span>{value === 'true' ? t('yes') : t('no')}</span>
}

function Contained({ value }: PartProps) {
  const { t } = useTranslation('engine')
  return <span>{t('list.contains', { value })}</span>
}

function Range({ value, field, isDays }: PartProps & { isDays: boolean }) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const unit = 'unit' in field && typeof field.unit === 'string' ? ` ${field.unit}` : ''
  const say = (end: string) => {
    if (isDays) {
      const day = calendarDay(end)
      return isDay(day) ? formatDay(day, language) : end
    }
    return `${Number.isFinite(Number(end)) ? formatNumber(Number(end), language) : end}${unit}`
  }
  const period = isDays ? periodOf(value) : undefined
  if (period) return <span>{t(`list.periods.${period}`)}</span>
  const { from, to } = splitRange(value)
  if (from === to) return <span>{say(from)}</span>
  if (from === '') return <span>{t('list.atMost', { value: say(to) })}</span>
  if (to === '') return <span>{t('list.atLeast', { value: say(from) })}</span>
  return <span>{t('list.between', { from: say(from), to: say(to) })}</span>
}

function RecordNames({ field, value }: PartProps) {
  const target = findDefinition(kindOf(field.type).target?.(field) ?? '')
  const ids = splitIds(value)
  const { data } = useChosen(target, ids)
  const name = (id: string) => {
    const row = data?.find((each) => each.id === id)
    return row && target ? recordTitle(target, row) : id.slice(0, 8)
  }
  return <span>{data || ids.length === 0 ? ids.map(name).join(', ') : '…'}</span>
}
