import { Button, Segmented } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useAccess } from '@/access/use-access'
import { DeniedError } from '@/data/errors'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useTabParams } from '@/pages/jobs/use-tab-params'
import { showPath } from '@/resource/definition/naming'
import { FieldCell } from '@/resource/fields/cells'
import { mentioned, readChanges } from '@/resource/fields/diff/changes'
import { useRecordTitles } from '@/resource/queries/use-record-titles'
import { useResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'
import { ActivityEntryView } from '@/resource/screens/show/activity-tab'
import { useErrorText } from '@/resource/use-error-text'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { RelativeTime } from '@/ui/relative-time'
import { isTimelineKind, TIMELINE_KINDS, type TimelineEntry, useTimeline } from './timeline-data'

type Props = { record: { id?: unknown; company_id?: unknown }; resource: string }

/** Everything that happened to the device: runs, alerts, tickets, patches and changes in one list. */
export function ActivityTab({ record }: Props) {
  const { t } = useTranslation(['devices', 'engine'])
  const { can } = useAccess()
  const errorText = useErrorText()
  const scope = useResourceScope()
  const { params, setParams } = useTabParams(['events'])
  const kind = isTimelineKind(params.events) ? params.events : null
  const query = useTimeline(String(record.company_id), String(record.id), kind)
  const { data, error } = query
  const device = findDefinition('devices')
  const records = useRecordTitles(
    device ? (data ?? []).flatMap((entry) => mentioned(device, readChanges(entry.changes, device))) : [],
    scope,
  )
  const kinds = Object.entries(TIMELINE_KINDS).filter(([, resource]) => can(resource, 'list').allowed)

  const body = (): ReactNode => {
    if (!data) {
      if (error === null) return <LoadingState rows={6} />
      if (error instanceof DeniedError) return <DeniedState text={errorText(error)} />
      return <ErrorState text={errorText(error)} onRetry={() => void query.refetch()} />
    }
    if (data.length === 0) return <EmptyState title={t('timeline.empty')} text={t('timeline.emptyText')} />
    return (
      <>
        <ol>
          {data.map((entry) =>
            entry.kind === 'change' && device ? (
              <ActivityEntryView
                key={entry.id}
                entry={{
                  id: entry.id,
                  at: entry.at,
                  actor_email: entry.actor,
                  actor_id: null,
                  table_name: 'devices',
                  action: entry.action ?? 'edit',
                  changes: entry.changes,
                }}
                definition={device}
                id={String(record.id)}
                records={records}
              />
            ) : (
              <Event key={`${entry.kind}-${entry.id}`} entry={entry} />
            ),
          )}
        </ol>
        {error ? <ErrorState text={errorText(error)} onRetry={() => void query.fetchNextPage()} /> : null}
        {query.hasNextPage && !error ? (
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('engine:activity.more')}
          </Button>
        ) : null}
      </>
    )
  }

  return (
    <div className="k-activity">
      <Segmented
        aria-label={t('timeline.filter')}
        value={kind ?? 'all'}
        onChange={(value) => setParams({ events: value === 'all' ? '' : value })}
        options={[
          { value: 'all', label: t('timeline.all') },
          ...kinds.map(([value]) => ({ value, label: t(`timeline.kinds.${value as 'run'}`) })),
        ]}
        style={{ maxWidth: '100%', overflowX: 'auto' }}
      />
      {body()}
    </div>
  )
}

function Event({ entry }: { entry: TimelineEntry }) {
  const { t } = useTranslation('devices')
  const language = useLanguage()
  const resource = findDefinition(TIMELINE_KINDS[entry.kind])
  const title = entry.title || t('timeline.untitled')
  return (
    <li>
      <p>
        <span>
          <span className="k-soft">{t(`timeline.events.${entry.kind}`)}</span>{' '}
          {resource && entry.record_id ? (
            <Link to={showPath(resource, entry.record_id)}>{title}</Link>
          ) : (
            <strong>{title}</strong>
          )}{' '}
          <Status entry={entry} />
        </span>
        <span className="k-soft">
          {entry.actor ? `${entry.actor} · ` : null}
          <RelativeTime value={entry.at} /> ·{' '}
          <time dateTime={entry.at}>{formatDateTime(entry.at, language)}</time>
        </span>
      </p>
    </li>
  )
}

function Status({ entry }: { entry: TimelineEntry }) {
  if (entry.status === null) return null
  const resource = findDefinition(TIMELINE_KINDS[entry.kind])
  const field = resource?.fields.status
  if (!resource || !field) return null
  return (
    <FieldCell value={entry.status} field={field} name="status" resource={resource.name} row={{}} dense />
  )
}
