import { Segmented } from 'antd'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import { mentioned } from '@/resource/fields/diff/changes'
import { readChanges } from '@/resource/fields/diff/kind'
import { findDefinition } from '@/resource/language/registry'
import { useRecordTitles } from '@/resource/request/query/use-record-titles'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { ActivityEntryView } from '@/resource/screens/show/activity-tab'
import { EntryPage } from '@/resource/screens/show/entry-page'
import { useTabParams } from '@/ui/use-tab-params'
import css from './devices.module.css'
import {
  isTimelineKind,
  TIMELINE_KINDS,
  TIMELINE_PAGE,
  type TimelineEntry,
  type TimelineKind,
  useTimelinePage,
} from './timeline-data'
import { maintenanceOf, TimelineEvent } from './timeline-event'

type Props = { record: { id?: unknown; company_id?: unknown }; resource: string }

/** Everything that happened to the device: runs, alerts, tickets, patches, software and changes in one list. */
export function ActivityTab({ record }: Props) {
  const { t } = useTranslation('devices')
  const can = useCan()
  const { params, setParams } = useTabParams(['events'])
  const kind = isTimelineKind(params.events) ? params.events : null
  const kinds = Object.entries(TIMELINE_KINDS).filter(([, resource]) => can(resource, 'list').allowed)

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
        className={css.filter}
      />
      <TimelinePage
        key={kind}
        companyId={String(record.company_id)}
        deviceId={String(record.id)}
        kind={kind}
      />
    </div>
  )
}

interface TimelinePageProps {
  companyId: string
  deviceId: string
  kind: TimelineKind | null
  after?: TimelineEntry
}

function TimelinePage({ companyId, deviceId, kind, after }: TimelinePageProps) {
  const { t } = useTranslation('devices')
  const query = useTimelinePage({ companyId, deviceId, kind, after })
  const device = findDefinition('devices')
  const records = useRecordTitles(
    device
      ? (query.data ?? []).flatMap((entry) => mentioned(device, readChanges(entry.changes, device)))
      : [],
    useResourceScope(),
  )
  return (
    <EntryPage
      query={query}
      size={TIMELINE_PAGE}
      {...(after ? {} : { empty: { title: t('timeline.empty'), text: t('timeline.emptyText') } })}
      next={(last) => <TimelinePage {...{ companyId, deviceId, kind }} after={last} />}
    >
      {(entry) =>
        entry.kind === 'change' && device && maintenanceOf(entry) === null ? (
          <ActivityEntryView
            key={entry.id}
            entry={{
              id: entry.id,
              createdAt: entry.at,
              ...(entry.actor === null ? {} : { author: { name: entry.actor } }),
              resource: 'devices',
              action: entry.action ?? 'edit',
              data: entry.changes,
              previousData: null,
            }}
            definition={device}
            id={deviceId}
            records={records}
          />
        ) : (
          <TimelineEvent key={`${entry.kind}-${entry.id}`} entry={entry} />
        )
      }
    </EntryPage>
  )
}
