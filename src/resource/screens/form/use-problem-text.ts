import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { FieldProblem } from '@/resource/fields/kind-interface'
import { useDurationText } from '@/resource/fields/number/duration-text'
import { isDurationUnit, UNIT_SECONDS } from '@/resource/fields/number/kind'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { resolveValue } from '@/resource/request/filter/scope'
import { useColumnWord } from '@/resource/request/query/columns'

const OTHER = '$record.'
const NOW = '$now'

/** Problems with a `pattern` or a `check`, for which a definition may have its own words. */
const isOwnRule = (key: string): boolean => key === 'pattern' || key === 'other' || key.startsWith('_')

const isRange = (key: string): boolean => ['_lt', '_lte', '_gt', '_gte'].includes(key)

/** Dates and times are before or after, other values less or more. */
function isTime(definition: Definition, field: string): boolean {
  const type = definition.fields[field]?.type
  return type === 'date' || type === 'datetime'
}

/** A problem in words. Field names inside it become labels; a comparison with another field names both. */
export function useProblemText(
  definition: Definition,
  words: ResourceWords,
): (problem: FieldProblem, field: string) => string {
  const { t } = useTranslation('engine')
  const columnWord = useColumnWord(definition, words)
  const language = useLanguage()
  const durationText = useDurationText()
  const translate = t as unknown as (key: string, values: Record<string, string | number>) => string
  return useCallback(
    (problem, field) => {
      const { row, column, ...given } = problem.values ?? {}
      const path = column === undefined ? field : `${field}.${column}`
      const own = isOwnRule(problem.key) ? words.message(path) : undefined
      if (own && row === undefined) return own
      const values: Record<string, string | number> = { ...given }
      // The limits of a span of time, which is typed as one.
      if (isDurationUnit(values.unit))
        for (const bound of ['min', 'max'])
          if (bound in values) values[bound] = durationText(Number(values[bound]) * UNIT_SECONDS[values.unit])
      let key = `check.${problem.key}`
      if ('field' in values) values.field = words.field(path)
      if (typeof values.value === 'string' && values.value.startsWith(OTHER)) {
        key = `check.${isTime(definition, field) ? 'times' : 'both'}.${problem.key}`
        values.field = words.field(path)
        values.value = columnWord(values.value.slice(OTHER.length))
      }
      if (typeof values.value === 'string' && values.value.startsWith(NOW) && isRange(problem.key)) {
        key = `check.${values.value === NOW ? 'now' : 'moment'}.${problem.key}`
        const moment = new Date(String(resolveValue(values.value, {})))
        values.value = formatDateTime(moment, language)
      }
      const text = own ?? translate(key, values)
      return row === undefined
        ? text
        : translate('check.rows', { row, column: words.field(path), problem: text })
    },
    [translate, words, columnWord, definition, language, durationText],
  )
}
