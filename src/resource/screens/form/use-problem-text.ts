import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import type { FieldProblem } from '@/resource/fields/kind'
import type { ResourceWords } from '@/resource/words'

/** A problem in words. Field names inside it become labels. */
export function useProblemText(words: ResourceWords): (problem: FieldProblem, field: string) => string {
  const { t } = useTranslation('engine')
  const translate = t as unknown as (key: string, values: Record<string, string | number>) => string
  return useCallback(
    (problem, field) => {
      const { row, column, ...given } = problem.values ?? {}
      const values: Record<string, string | number> = { ...given }
      const path = column === undefined ? field : `${field}.${column}`
      if ('field' in values) values.field = words.field(path)
      if (typeof values.value === 'string' && values.value.startsWith('$record.'))
        values.value = words.field(values.value.slice('$record.'.length))
      const text = translate(`check.${problem.key}`, values)
      return row === undefined
        ? text
        : translate('check.rows', { row, column: words.field(path), problem: text })
    },
    [translate, words],
  )
}
