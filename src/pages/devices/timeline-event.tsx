import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { FieldCell } from '@/resource/fields/cells'
import { showPath } from '@/resource/language/naming'
import { usePhrase } from '@/resource/language/phrases'
import { findDefinition } from '@/resource/language/registry'
import { RelativeTime } from '@/ui/relative-time'
import { TIMELINE_KINDS, type TimelineEntry } from './timeline-data'

/** The resource whose page an entry opens. */
function pageOf({ kind }: TimelineEntry): string {
  if (kind === 'policy') return 'job_runs'
  if (kind === 'tag') return 'tags'
  if (kind === 'group') return 'groups'
  if (kind === 'exception') return 'patch_exceptions'
  // A change of software has no page of its own.
  return kind === 'software' ? 'software' : TIMELINE_KINDS[kind]
}

/** A field's values before and after the change, from the audit row. */
function changed(entry: TimelineEntry, field: string): { before: unknown; after: unknown } | null {
  const changes = entry.changes as Record<string, unknown> | null
  const pair = changes?.[field]
  return Array.isArray(pair) ? { before: pair[0], after: pair[1] } : null
}

/** A maintenance that somebody started or ended; null for another change. */
export function maintenanceOf(entry: TimelineEntry): { until: string | null; note: string } | null {
  const changes = entry.kind === 'change' && entry.action === 'edit' ? entry.changes : null
  if (typeof changes !== 'object' || changes === null) return null
  const fields = Object.keys(changes)
  if (!fields.includes('maintenance_until')) return null
  if (fields.some((field) => field !== 'maintenance_until' && field !== 'maintenance_note')) return null
  const until = changed(entry, 'maintenance_until')?.after
  const note = changed(entry, 'maintenance_note')?.after
  return { until: typeof until === 'string' ? until : null, note: typeof note === 'string' ? note : '' }
}

/** Renders one line of the timeline, except for changes of fields. */
export function TimelineEvent({ entry }: { entry: TimelineEntry }) {
  const language = useLanguage()
  return (
    <li>
      <p>
        <span>
          <Sentence entry={entry} />
        </span>
        <span className="l-soft">
          {entry.actor ? `${entry.actor} · ` : null}
          <RelativeTime value={entry.at} /> ·{' '}
          <time dateTime={entry.at}>{formatDateTime(entry.at, language)}</time>
        </span>
      </p>
    </li>
  )
}

function Sentence({ entry }: { entry: TimelineEntry }) {
  const { t } = useTranslation('devices')
  const phrase = usePhrase()
  const language = useLanguage()
  const name = phrase(entry.title ?? '') || t('timeline.untitled')
  const definition = findDefinition(pageOf(entry))
  const title =
    definition && entry.record_id ? (
      <Link to={showPath(definition, entry.record_id)}>{name}</Link>
    ) : (
      <strong>{name}</strong>
    )
  const line = (word: string, rest?: ReactNode) => (
    <>
      <span className="l-soft">{word}</span> {title} {rest}
    </>
  )
  const maintenance = maintenanceOf(entry)
  if (maintenance)
    return maintenance.until ? (
      <>
        {t('timeline.maintenanceStarted', { time: formatDateTime(maintenance.until, language) })}
        {maintenance.note ? `: ${maintenance.note}` : null}
      </>
    ) : (
      t('timeline.maintenanceEnded')
    )
  const act = entry.action ?? 'edit'
  switch (entry.kind) {
    case 'policy':
      return (
        <>
          {line(t('timeline.events.policy'), <Installed entry={entry} />)} <Status entry={entry} />
        </>
      )
    case 'tag':
      return line(t(act === 'delete' ? 'timeline.tagRemoved' : 'timeline.tagAdded'))
    case 'group':
      return line(
        t(act === 'delete' ? 'timeline.groupLeft' : 'timeline.groupJoined'),
        entry.actor ? null : <span className="l-soft">{t('timeline.byRule')}</span>,
      )
    case 'exception':
      return line(t(`timeline.exceptions.${act}`), <Decision entry={entry} />)
    default:
      return line(t(`timeline.events.${entry.kind}`), <Status entry={entry} />)
  }
}

/** The updates that a policy's run was for: the first two by name. */
function Installed({ entry }: { entry: TimelineEntry }) {
  const { t } = useTranslation('devices')
  const changes = entry.changes as { count?: unknown; titles?: unknown } | null
  const titles = Array.isArray(changes?.titles) ? changes.titles.map(String) : []
  const left = Number(changes?.count ?? 0) - titles.length
  if (titles.length === 0) return null
  return (
    <>
      : {titles.join(', ')}
      {left > 0 ? ` ${t('timeline.more', { count: left })}` : null}
    </>
  )
}

function Decision({ entry }: { entry: TimelineEntry }) {
  const after = changed(entry, 'approval')?.after
  return typeof after === 'string' ? (
    <Value resource="patch_exceptions" name="approval" value={after} />
  ) : null
}

function Status({ entry }: { entry: TimelineEntry }) {
  if (entry.status === null) return null
  const resource = entry.kind === 'software' ? 'software_changes' : pageOf(entry)
  return (
    <Value resource={resource} name={entry.kind === 'software' ? 'change' : 'status'} value={entry.status} />
  )
}

function Value({ resource, name, value }: { resource: string; name: string; value: string }) {
  const field = findDefinition(resource)?.fields[name]
  return field ? (
    <FieldCell value={value} field={field} name={name} resource={resource} row={{}} dense />
  ) : null
}
