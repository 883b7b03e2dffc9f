import { Checkbox } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { FieldLinksContext } from '@/resource/fields/cell-parts'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { isOffered, type NamedAction } from '@/resource/request/filter/actions'
import type { FilterScope } from '@/resource/request/filter/scope'
import { recordTitle } from '@/resource/request/query/title'
import { useChosen } from '@/resource/request/query/use-record-query'
import { RecordFacts } from '@/resource/screens/actions/record-facts'

/** So many of all matching rows are read for what the action shows of each. */
const MAX_READ = 50

export interface Affected {
  /** The rows with what the action shows of each; undefined where they are not shown. */
  rows: readonly Row[] | undefined
  isPending: boolean
  /** The ids that the action is run on, without the rows that were left out or that it is not possible for. */
  ids: readonly string[]
  isPossible: (row: Row) => boolean
}

/** The records of an action that shows fields of them: which it affects, without those that somebody left out. */
export function useAffected(
  definition: Definition,
  named: NamedAction | undefined,
  ids: readonly string[],
  known: readonly Row[] | undefined,
  leftOut: ReadonlySet<string>,
  scope: FilterScope,
): Affected {
  const shows = named?.action.shows
  const isRead = shows !== undefined && known === undefined && ids.length <= MAX_READ
  const { data, isPending } = useChosen(isRead ? definition : null, isRead ? ids : [], shows)
  const rows = shows === undefined ? undefined : (known ?? data)
  // All matching rows were found under the action's condition.
  const isPossible = (row: Row) => !known || !named || isOffered(definition, named.action, row, scope)
  const unaffected = new Set(rows?.flatMap((row) => (isPossible(row) ? [] : [String(row.id)])))
  return {
    rows,
    isPending: isRead && isPending && data === undefined,
    isPossible,
    ids: rows ? ids.filter((id) => !leftOut.has(id) && !unaffected.has(id)) : ids,
  }
}

interface AffectedRowsProps {
  definition: Definition
  named: NamedAction
  affected: Affected
  leftOut: ReadonlySet<string>
  onLeaveOut: (leftOut: ReadonlySet<string>) => void
}

/** The records that an action is about to change, each with the fields on which somebody decides, and a box to leave it out. */
export function AffectedRows({ definition, named, affected, leftOut, onLeaveOut }: AffectedRowsProps) {
  const { t } = useTranslation('bulk')
  const { t: engine } = useTranslation('engine')
  const words = useWords(definition)
  const { rows, ids, isPossible } = affected
  if (affected.isPending) return <p role="status">{t('collecting')}</p>
  if (!rows) return <p>{t('notShown', { max: MAX_READ })}</p>
  const refusal = words.text('notNow', named.name) ?? engine('action.notNow')
  const handleChange = (id: string, isIncluded: boolean) => {
    const next = new Set(leftOut)
    if (isIncluded) next.delete(id)
    else next.add(id)
    onLeaveOut(next)
  }
  return (
    <fieldset className="k-bulk-affected">
      <legend role="status">{t('affected', { count: ids.length, total: rows.length })}</legend>
      <ul>
        {[...rows.filter(isPossible), ...rows.filter((row) => !isPossible(row))].map((row) => {
          const id = String(row.id)
          const title = recordTitle(definition, row)
          const canRun = isPossible(row)
          return (
            <li key={id}>
              <Checkbox
                checked={canRun && !leftOut.has(id)}
                disabled={!canRun}
                onChange={(event) => handleChange(id, event.target.checked)}
              >
                {title}
              </Checkbox>
              {canRun ? (
                // A press on a value must not lead away from the dialog.
                <FieldLinksContext value={false}>
                  <RecordFacts {...{ definition, row }} shows={named.action.shows ?? []} />
                </FieldLinksContext>
              ) : (
                <p>{refusal}</p>
              )}
            </li>
          )
        })}
      </ul>
    </fieldset>
  )
}
