import { useTranslation } from 'react-i18next'
import type { TabProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { EntryLink, SideList } from './side-parts'
import { useLiveSide, useTicketSide } from './ticket-side'

/** The runs that were started from this ticket, with how they went. */
export function RunsPanel({ record }: TabProps) {
  const { t } = useTranslation('tickets')
  const query = useTicketSide(record)
  useLiveSide(record, ['jobs', 'ticket_jobs'], query)
  if (!query.data) return <QueryState query={query} rows={2} />
  if (query.data.jobs.length === 0) return <p className="l-first k-soft">{t('side.noJobs')}</p>
  return (
    <SideList title={t('side.jobs')} entries={query.data.jobs}>
      {({ id, name, outcome, run_status, created_at }) => (
        <EntryLink
          resource="jobs"
          id={id}
          label={name}
          mark={
            run_status
              ? { resource: 'job_runs', field: 'status', value: run_status }
              : { field: 'outcome', value: outcome }
          }
          at={created_at}
        />
      )}
    </SideList>
  )
}
