import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { DeniedError } from '@/data/errors'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { ChangeTable } from '@/resource/fields/diff/change-table'
import { definitionOfTable, mentioned, readChanges } from '@/resource/fields/diff/changes'
import { type ActivityEntry, useActivity } from '@/resource/queries/use-activity'
import { type FindRecord, useRecordTitles } from '@/resource/queries/use-record-titles'
import { useResourceScope } from '@/resource/queries/use-scope'
import { RestoreButton } from '@/resource/screens/show/restore-button'
import { useErrorText } from '@/resource/use-error-text'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { RelativeTime } from '@/ui/relative-time'

/** Who changed the record, when, and from what to what. */
export function ActivityTab({ definition, id }: { definition: Definition; id: string }) {
  const { t } = useTranslation('engine')
  const errorText = useErrorText()
  const scope = useResourceScope()
  const query = useActivity(definition, id, scope)
  const { data, error } = query
  const records = useRecordTitles(
    (data ?? []).flatMap((entry) => {
      const owner = ownerOf(entry, definition)
      return mentioned(owner, readChanges(entry.changes, owner))
    }),
    scope,
  )
  if (!data) {
    if (error === null) return <LoadingState rows={6} />
    if (error instanceof DeniedError) return <DeniedState text={errorText(error)} />
    return <ErrorState text={errorText(error)} onRetry={() => void query.refetch()} />
  }
  if (data.length === 0) return <EmptyState title={t('activity.empty')} text={t('activity.emptyText')} />
  return (
    <div className="k-activity">
      <ol>
        {data.map((entry) => (
          <ActivityEntryView key={entry.id} {...{ entry, definition, id, records }} />
        ))}
      </ol>
      {error ? <ErrorState text={errorText(error)} onRetry={() => void query.fetchNextPage()} /> : null}
      {query.hasNextPage && !error ? (
        <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('activity.more')}
        </Button>
      ) : null}
    </div>
  )
}

interface ActivityEntryViewProps {
  entry: ActivityEntry
  definition: Definition
  id: string
  records: FindRecord
}

/** A record may be written in several tables; a table without a definition speaks the record's own words. */
function ownerOf(entry: ActivityEntry, definition: Definition): Definition {
  return definitionOfTable(entry.table_name) ?? definition
}

/** One audit row: who, when, and each field before and after. */
export function ActivityEntryView({ entry, definition, id, records }: ActivityEntryViewProps) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const owner = ownerOf(entry, definition)
  const changes = readChanges(entry.changes, owner)
  const who = entry.actor_email ?? t('activity.system')
  const title = t(`activity.${entry.action}`, { who })
  return (
    <li>
      <p>
        <strong>{title}</strong>
        <span className="k-soft">
          <RelativeTime value={entry.at} /> ·{' '}
          <time dateTime={entry.at}>{formatDateTime(entry.at, language)}</time>
        </span>
      </p>
      {changes.length > 0 ? (
        <ChangeTable
          changes={changes}
          records={records}
          definition={owner}
          resource={owner.name}
          label={`${title}, ${formatDateTime(entry.at, language)}`}
        />
      ) : null}
      {entry.action === 'edit' && entry.table_name === tableOf(definition) ? (
        <RestoreButton definition={definition} id={id} at={entry.at} changes={changes} />
      ) : null}
    </li>
  )
}
