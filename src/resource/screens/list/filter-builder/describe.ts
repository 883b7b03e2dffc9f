import type { TFunction } from 'i18next'
import { formatAlternatives, formatConjunction, formatDay, formatNumber } from '@/i18n/format'
import type { Language } from '@/i18n/language'
import type { Condition, Definition, Field, Filter } from '@/resource/language/definition.generated'
import { choicesOf, filterStyle, NOW_AND_DAYS } from '@/resource/request/filter/from-url'
import { isWhereDay } from '@/resource/request/filter/where'
import { fromCondition, operandOf } from '@/resource/screens/list/filter-builder/operators'

/** Words for describing a filter. */
export interface FilterWords {
  t: TFunction<'filters'>
  language: Language
  yes: string
  no: string
  field: (name: string) => string
  value: (field: string, value: string) => string
  /** The title of the record that a relation points at. */
  record: (field: string, id: string) => string
}

function sayDay(value: string, { t, language }: FilterWords): string {
  if (isWhereDay(value)) return formatDay(value, language)
  const [, sign, days] = NOW_AND_DAYS.exec(value) ?? []
  if (!sign) return t('now')
  return t(sign === '-' ? 'daysAgo' : 'daysAhead', { count: Number(days) })
}

function sayValue(name: string, field: Field, value: string, words: FilterWords): string {
  switch (filterStyle(field)) {
    case 'record':
      return words.record(name, value)
    case 'yesNo':
      return value === 'true' ? words.yes : words.no
    case 'range': {
      const unit = 'unit' in field && typeof field.unit === 'string' ? ` ${field.unit}` : ''
      return `${formatNumber(Number(value), words.language)}${unit}`
    }
    case 'days':
      return sayDay(value, words)
    default:
      return choicesOf(field).isClosed ? words.value(name, value) : `“${value}”`
  }
}

function sayCondition(name: string, field: Field, condition: Condition, words: FilterWords): string {
  const { operator, values } = fromCondition(field, condition)
  const label = words.field(name)
  if (operandOf(operator) === 'days') {
    const count = Number(values[0])
    return words.t(operator === 'lastDays' ? 'say.lastDays' : 'say.nextDays', { field: label, count })
  }
  const said = values.map((each) => sayValue(name, field, each, words))
  const value = (operator === 'hasAll' ? formatConjunction : formatAlternatives)(said, words.language)
  return words.t(`say.${operator as Exclude<typeof operator, 'lastDays' | 'nextDays'>}`, {
    field: label,
    value,
  })
}

/** The filter as one sentence: `Priority is High and (Category is Network or Seats is more than 5)`. */
export function describeWhere(definition: Definition, where: Filter, words: FilterWords): string {
  const say = (filter: Filter, isInner: boolean): string => {
    const [[key, value] = ['', undefined]] = Object.entries(filter)
    const field = definition.fields[key]
    if (!Array.isArray(value)) return field && value ? sayCondition(key, field, value, words) : ''
    const parts = value.map((inner) => say(inner, value.length > 1))
    const text = parts.join(words.t(key === '_or' ? 'or' : 'and'))
    return isInner && parts.length > 1 ? `(${text})` : text
  }
  return say(where, false)
}
