import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { recordTitle } from '@/resource/request/query/title'
import { useChosen } from '@/resource/request/query/use-record-query'
import { fieldOfError } from '@/resource/screens/form/server-errors'
import { useRefusalText } from '@/resource/screens/form/use-refusal-text'
import { UNFIT } from '@/resource/tools/bulk/bulk-calls'
import type { BulkJob } from '@/resource/tools/bulk/bulk-dialog'
import type { BulkReport, RowOutcome } from '@/resource/tools/bulk/bulk-run'
import { hasMoreThanListed } from '@/resource/tools/bulk/use-bulk'
import { useErrorText } from '@/resource/use-error-text'

/** Titles of records by id: of loaded records, and of others if they can be read. */
function useTitles(
  definition: Definition,
  ids: readonly string[],
  known: readonly Row[] = [],
): (id: string) => string {
  const names = new Map(known.map((row) => [String(row.id), recordTitle(definition, row)]))
  const wanted = ids.filter((id) => !names.has(id))
  const { data } = useChosen(definition, wanted)
  for (const row of data ?? []) names.set(String(row.id), recordTitle(definition, row))
  return (id) => names.get(id) ?? id.slice(0, 8)
}

const DONE = { edit: 'changed', delete: 'deleted', action: 'reached', undo: 'restored' } as const

interface BulkSummaryProps {
  definition: Definition
  kind: BulkJob['kind'] | 'undo'
  report: BulkReport
  known: readonly Row[]
}

/** The results of a job, with each row that was not processed, by its title and the reason. */
export function BulkSummary({ definition, kind, report, known }: BulkSummaryProps) {
  const { t } = useTranslation('bulk')
  const errorText = useErrorText()
  const refusalText = useRefusalText(definition, useWords(definition))
  const { counts, listed, left, error, total } = report
  const title = useTitles(
    definition,
    listed.map(({ id }) => id),
    known,
  )
  const reasonOf = (row: RowOutcome) => {
    if (row.outcome === 'gone') return t('goneReason')
    if (row.outcome === 'stale') return t('staleReason')
    if (row.error?.code === UNFIT) return t('unfitReason')
    return refusalText(row.error, fieldOfError(definition, row.error))
  }
  return (
    <div className="k-bulk-summary">
      {error ? <p className="k-bulk-failure">{t('failed', { reason: errorText(error) })}</p> : null}
      <ul role="status">
        {/* The title says it already where every row was changed. */}
        {counts.changed < total ? <li>{t(DONE[kind], { count: counts.changed })}</li> : null}
        {counts.same > 0 ? <li>{t('same', { count: counts.same })}</li> : null}
        {counts.stale > 0 ? <li>{t('stale', { count: counts.stale })}</li> : null}
        {counts.gone > 0 ? <li>{t('gone', { count: counts.gone })}</li> : null}
        {counts.refused > 0 ? <li>{t('refused', { count: counts.refused })}</li> : null}
        {left.length > 0 ? <li>{t('left', { count: left.length })}</li> : null}
      </ul>
      {listed.length > 0 ? (
        // A box that scrolls must be reachable by keyboard.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the keyboard's focus
        <section className="k-bulk-undone" aria-label={t('undone')} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">{t('row')}</th>
                <th scope="col">{t('reason')}</th>
              </tr>
            </thead>
            <tbody>
              {listed.map((row) => (
                <tr key={row.id}>
                  <th scope="row">{title(row.id)}</th>
                  <td>{reasonOf(row)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ) : null}
      {hasMoreThanListed(report) ? <p>{t('listed', { count: listed.length })}</p> : null}
    </div>
  )
}
