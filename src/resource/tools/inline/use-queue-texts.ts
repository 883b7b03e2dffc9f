import { useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import type { FilterScope } from '@/resource/request/filter/scope'
import { fieldOfError } from '@/resource/screens/form/server-errors'
import { useProblemText } from '@/resource/screens/form/use-problem-text'
import { useRefusalText } from '@/resource/screens/form/use-refusal-text'
import { problemsOf } from '@/resource/tools/inline/check-queue'
import { conflictsOf, type EditQueue, type QueuedRow, recordOf } from '@/resource/tools/inline/edit-queue'

export interface RowTexts {
  /** Problems by the changed field. */
  cells: ReadonlyMap<string, string>
  /** The problem with the row as a whole. */
  row: string | null
  conflicts: readonly string[]
  /** Whether it can be saved as it is. */
  isReady: boolean
}

export type QueueTexts = ReadonlyMap<string, RowTexts>

/** The problems of each row of the queue, in words: the definition's checks, and the database's last answer. */
export function useQueueTexts(definition: Definition, queue: EditQueue, scope: FilterScope): QueueTexts {
  const { t } = useTranslation('inline')
  const words = useWords(definition)
  const refusalText = useRefusalText(definition, words)
  const problemText = useProblemText(definition, words)

  const refusalOf = useCallback(
    (row: QueuedRow): { field: string | undefined; text: string } | null => {
      const { failure } = row
      if (!failure) return null
      if (failure.kind === 'gone') return { field: undefined, text: t('gone') }
      const field = fieldOfError(definition, failure.error, recordOf(row))
      const text = refusalText(failure.error, field)
      return { field: field !== undefined && field in row.changes ? field : undefined, text }
    },
    [definition, t, refusalText],
  )

  return useMemo(() => {
    const texts = [...queue.values()].map((row): [string, RowTexts] => {
      const conflicts = conflictsOf(definition, row)
      const problems = problemsOf(definition, row, scope)
      const cells = new Map<string, string>()
      for (const name of conflicts) cells.set(name, t('conflict'))
      const refusal = refusalOf(row)
      if (refusal?.field) cells.set(refusal.field, refusal.text)
      for (const [name, { field, problem }] of problems) {
        const text = problemText(problem, field)
        cells.set(name, field === name ? text : `${words.field(field)}: ${text}`)
      }
      const isReady = problems.size === 0 && conflicts.length === 0
      return [row.id, { cells, row: refusal && !refusal.field ? refusal.text : null, conflicts, isReady }]
    })
    return new Map(texts)
  }, [definition, queue, scope, t, refusalOf, problemText, words])
}
