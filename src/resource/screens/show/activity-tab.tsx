import type { ILog } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { LOG_PAGE } from '@/refine/audit-log-provider'
import { ChangeTable } from '@/resource/fields/diff/change-table'
import { definitionOfTable, mentioned } from '@/resource/fields/diff/changes'
import { type Change, readChanges } from '@/resource/fields/diff/kind'
import { useRefusedFields } from '@/resource/fields/guards'
import type { Definition } from '@/resource/language/definition.generated'
import { editPath, tableOf } from '@/resource/language/naming'
import { useActivity } from '@/resource/request/query/use-record-query'
import { type FindRecord, useRecordTitles } from '@/resource/request/query/use-record-titles'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { canRestore, type Restored, valuesBefore } from '@/resource/screens/form/restored'
import { EntryPage } from '@/resource/screens/show/entry-page'
import { RelativeTime } from '@/ui/relative-time'

interface RestoreButtonProps {
  definition: Definition
  id: string
  at: string
  changes: readonly Change[]
}

/** Opens the form with the values from before a change. It writes nothing: checks, locks and permissions are the form's. */
function RestoreButton({ definition, id, at, changes }: RestoreButtonProps) {
  const { t } = useTranslation('engine')
  const navigate = useNavigate()
  const location = useLocation()
  const refused = useRefusedFields(definition)
  const { values, left } = valuesBefore(definition, changes, refused)
  if (!canRestore(definition) || Object.keys(values).length === 0) return null
  const open = () => {
    const restore: Restored = { at, values, left }
    const before: unknown = location.state
    const state = typeof before === 'object' && before !== null ? { ...before, restore } : { restore }
    navigate(editPath(definition, id), { state })
  }
  return (
    <GuardedButton resource={definition.name} action="edit" size="small" onClick={open}>
      {t('restore.button')}
    </GuardedButton>
  )
}

/** Shows the author, the time and the values of each change of the record. */
export function ActivityTab({ definition, id }: { definition: Definition; id: string }) {
  return (
    <div className="k-activity">
      <ActivityPage definition={definition} id={id} />
    </div>
  )
}

interface ActivityPageProps {
  definition: Definition
  id: string
  /** The last entry of the page before. */
  after?: ILog
}

function ActivityPage({ definition, id, after }: ActivityPageProps) {
  const { t } = useTranslation('engine')
  const query = useActivity(definition, id, after)
  const records = useRecordTitles(
    (query.data ?? []).flatMap((entry) => {
      const owner = ownerOf(entry, definition)
      return mentioned(owner, readChanges(entry.data, owner))
    }),
    useResourceScope(),
  )
  return (
    <EntryPage
      query={query}
      size={LOG_PAGE}
      {...(after ? {} : { empty: { title: t('activity.empty'), text: t('activity.emptyText') } })}
      next={(last) => <ActivityPage definition={definition} id={id} after={last} />}
    >
      {(entry) => <ActivityEntryView key={entry.id} {...{ entry, definition, id, records }} />}
    </EntryPage>
  )
}

interface ActivityEntryViewProps {
  entry: ILog
  definition: Definition
  id: string
  records: FindRecord
}

/** A record may be written in several tables; a table without a definition speaks the record's own words. */
function ownerOf(entry: ILog, definition: Definition): Definition {
  return definitionOfTable(entry.resource) ?? definition
}

/** Shows an audit row: its author, its time, and each field before and after. */
export function ActivityEntryView({ entry, definition, id, records }: ActivityEntryViewProps) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const owner = ownerOf(entry, definition)
  const changes = readChanges(entry.data, owner)
  const who = entry.author?.email ?? t('activity.system')
  const title = t(`activity.${entry.action as 'create' | 'edit' | 'delete'}`, { who })
  return (
    <li>
      <p>
        <strong>{title}</strong>
        <span className="k-soft">
          <RelativeTime value={entry.createdAt} /> ·{' '}
          <time dateTime={entry.createdAt}>{formatDateTime(entry.createdAt, language)}</time>
        </span>
      </p>
      {changes.length > 0 ? (
        <ChangeTable
          changes={changes}
          records={records}
          definition={owner}
          resource={owner.name}
          action={entry.action}
          label={`${title}, ${formatDateTime(entry.createdAt, language)}`}
        />
      ) : null}
      {entry.action === 'edit' && entry.resource === tableOf(definition) ? (
        <RestoreButton definition={definition} id={id} at={entry.createdAt} changes={changes} />
      ) : null}
    </li>
  )
}
