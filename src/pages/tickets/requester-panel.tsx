import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import type { TabProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { EntryLink, SideList, StatusMark } from './side-parts'
import { useLiveSide, useTicketSide } from './ticket-side'
import css from './ticket-side.module.css'

/** The requester, with their other tickets and the devices that these are about. */
export function RequesterPanel({ record }: TabProps) {
  const { t } = useTranslation('tickets')
  const can = useCan()
  const query = useTicketSide(record)
  useLiveSide(record, ['tickets'], query)
  if (!query.data) return <QueryState query={query} rows={3} />
  const { requester, tickets, devices } = query.data
  return (
    <>
      {requester ? (
        <p className={`l-first ${css.person}`}>
          {can('users', 'show').allowed ? (
            <EntryLink resource="users" id={requester.id} label={requester.name} />
          ) : (
            <strong>{requester.name}</strong>
          )}
          {requester.email ? <a href={`mailto:${requester.email}`}>{requester.email}</a> : null}
        </p>
      ) : (
        <p className="l-first">
          {typeof record.requester_name === 'string' ? record.requester_name : t('side.noRequester')}
        </p>
      )}
      <SideList title={t('side.tickets')} entries={tickets}>
        {({ id, number, subject, status_name, status_color }) => (
          <EntryLink resource="tickets" id={id} label={`#${number} ${subject}`}>
            {status_name ? <StatusMark name={status_name} color={status_color} /> : null}
          </EntryLink>
        )}
      </SideList>
      <SideList title={t('side.devices')} entries={devices}>
        {({ id, name, status }) => (
          <EntryLink resource="devices" id={id} label={name} mark={{ field: 'status', value: status }} />
        )}
      </SideList>
    </>
  )
}
