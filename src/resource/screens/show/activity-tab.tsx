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
import { RecordLink } from '@/resource/fields/relation/record-link'
import { commentsOf } from '@/resource/language/comments'
import type { Definition, Related } from '@/resource/language/definition.generated'
import { editPath, relatedTab, showOf, tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useResourceLabels, useWords } from '@/resource/language/words'
import { useActivity } from '@/resource/request/query/use-record-query'
import {
  type FindRecord,
  type RecordReference,
  useRecordTitles,
} from '@/resource/request/query/use-record-titles'
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
      const link = linkedRecord(entry, listOf(entry, definition, id))
      return [...(link ? [link] : mentioned(owner, readChanges(entry.data, owner))), ...authorOf(entry)]
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

/** The person who made a change, to be called by name; none for the system, or where only an address is kept. */
function authorOf({ author }: ILog): RecordReference[] {
  return author?.id ? [{ resource: 'people', id: String(author.id) }] : []
}

/** A record may be written in several tables; a table without a definition speaks the record's own words. */
function ownerOf(entry: ILog, definition: Definition): Definition {
  return definitionOfTable(entry.resource) ?? definition
}

/** The list of the record in which the record of an entry is; null for an entry about this record itself. */
function listOf(entry: ILog, definition: Definition, id: string): Related | null {
  if (String(entry.meta?.id ?? id) === id) return null
  const lists = (showOf(definition)?.related ?? []).filter(({ resource, activity }) => {
    const target = findDefinition(resource)
    return activity !== undefined && target !== null && tableOf(target) === entry.resource
  })
  const isNamed = ({ by }: Related) => {
    const change: unknown = Reflect.get(entry.data ?? {}, by)
    return Array.isArray(change) && change.includes(id)
  }
  return lists.find(isNamed) ?? lists[0] ?? null
}

/** The record that an entry of a list of links is about: it alone is shown, its other changes are in its own activity. */
function linkedRecord(entry: ILog, list: Related | null): RecordReference | null {
  return list?.activity === 'links' ? { resource: list.resource, id: String(entry.meta?.id) } : null
}

/** The kind of the comment that an entry of the record is about; null for another entry. Its words are in the thread alone. */
function commentKind(entry: ILog, definition: Definition): string | null {
  const comments = commentsOf(definition)
  // An entry about a file of a comment names the file.
  if (!comments || 'attachment' in (entry.data ?? {})) return null
  const { kinds, table } = comments
  const usual = Object.keys(kinds)[0] ?? null
  const own = Object.keys(kinds).find((kind) => kinds[kind]?.object === entry.resource)
  if (own !== undefined) return own
  if (entry.resource !== table) return null
  const [before, after] = (Reflect.get(entry.data ?? {}, 'kind') as unknown[] | undefined) ?? []
  return [after, before].find((kind) => typeof kind === 'string') ?? usual
}

/** Shows an audit row: its author, its time, and each field before and after. */
export function ActivityEntryView({ entry, definition, id, records }: ActivityEntryViewProps) {
  const { t } = useTranslation('engine')
  const { t: trash } = useTranslation('trash')
  const language = useLanguage()
  const owner = ownerOf(entry, definition)
  const list = listOf(entry, definition, id)
  const link = linkedRecord(entry, list)
  const linked = link && records(link)
  const changes = readChanges(entry.data, owner).filter(({ field }) => field !== list?.by)
  const [author] = authorOf(entry)
  const name = author && records(author)?.name
  // The name of that time, where the account is gone.
  const who = name ? String(name) : (entry.author?.name ?? t('activity.system'))
  const comment = commentKind(entry, definition)
  const words = useWords(definition)
  const labels = useResourceLabels()
  const action = entry.action as 'create' | 'edit' | 'delete'
  const title = list
    ? t(`activity.related.${link && action === 'edit' ? 'create' : action}`, {
        who,
        list:
          words.text('tabs', relatedTab(showOf(definition)?.related ?? [], list)) ??
          labels(list.resource).many,
      })
    : comment === null
      ? entry.action === 'trash' || entry.action === 'restore'
        ? trash(`activity.${entry.action}`, { who })
        : t(`activity.${action}`, { who })
      : t(`activity.comment.${action}`, {
          who,
          kind: words.text('comments', comment) ?? t('show.comments'),
        })
  return (
    <li>
      <p>
        <strong>{title}</strong>
        <span className="k-soft">
          <RelativeTime value={entry.createdAt} /> ·{' '}
          <time dateTime={entry.createdAt}>{formatDateTime(entry.createdAt, language)}</time>
        </span>
      </p>
      {link && linked ? <RecordLink to={link.resource} id={link.id} row={linked} /> : null}
      {changes.length > 0 && comment === null && link === null ? (
        <ChangeTable
          changes={changes}
          records={records}
          definition={owner}
          resource={owner.name}
          action={entry.action}
          label={`${title}, ${formatDateTime(entry.createdAt, language)}`}
        />
      ) : null}
      {entry.action === 'edit' && list === null && entry.resource === tableOf(definition) ? (
        <RestoreButton definition={definition} id={id} at={entry.createdAt} changes={changes} />
      ) : null}
    </li>
  )
}
