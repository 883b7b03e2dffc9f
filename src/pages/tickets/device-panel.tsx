import { Suspense, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { type DialogProps, type TabProps, useEngineComponent } from '@/resource/engine-context'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { QueryState } from '@/resource/query-state'
import { RunCallContext } from '@/runs/start/run-call'
import { RelativeTime } from '@/ui/relative-time'
import { EntryLink, Mark, SideList } from './side-parts'
import { type TicketSide, useLiveSide, useTicketSide } from './ticket-side'
import css from './ticket-side.module.css'

/** Actions of a device that are done without leaving the ticket, as the definition of devices names them. */
const ACTIONS = ['run_procedure', 'run_command', 'remote_session'] as const

/** The device of the ticket: its state, what is wrong with it, and what can be run on it. */
export function DevicePanel({ record }: TabProps) {
  const { t } = useTranslation('tickets')
  const query = useTicketSide(record)
  useLiveSide(record, ['devices', 'device_presence', 'alerts', 'job_runs'], query)
  if (typeof record.device_id !== 'string') return <p className="l-first k-soft">{t('side.noDevice')}</p>
  if (!query.data) return <QueryState query={query} rows={4} />
  const { device, alerts, runs } = query.data
  if (!device) return <p className="l-first k-soft">{t('side.deviceHidden')}</p>
  return (
    <>
      <p className={`l-first ${css.person}`}>
        <Mark resource="devices" field="status" value={device.status} />
        {device.status === 'online' ? null : (
          <span className="k-soft">
            <RelativeTime value={device.last_seen} />
          </span>
        )}
        <span className="k-soft">
          {[device.os, device.ip_address, device.logged_in_user].filter(Boolean).join(' · ')}
        </span>
      </p>
      <DeviceActions device={device} ticketId={String(record.id)} onDone={() => void query.refetch()} />
      <SideList title={t('side.alerts')} entries={alerts}>
        {({ id, message, severity, opened_at }) => (
          <EntryLink
            resource="alerts"
            id={id}
            label={message}
            mark={{ field: 'severity', value: severity }}
            at={opened_at}
          />
        )}
      </SideList>
      <SideList title={t('side.runs')} entries={runs}>
        {({ job_id, name, status, queued_at }) => (
          <EntryLink
            resource="jobs"
            id={job_id}
            label={name}
            mark={{ resource: 'job_runs', field: 'status', value: status }}
            at={queued_at}
          />
        )}
      </SideList>
    </>
  )
}

interface DeviceActionsProps {
  device: NonNullable<TicketSide['device']>
  ticketId: string
  onDone: () => void
}

function DeviceActions({ device, ticketId, onDone }: DeviceActionsProps) {
  const { t } = useTranslation('tickets')
  const definition = findDefinition('devices')
  const [opened, setOpened] = useState<string | null>(null)
  const wrap = useCallback(
    (name: string, args: Record<string, unknown>) => ({
      name: 'run_on_ticket',
      args: { ticket_id: ticketId, call: name, args },
    }),
    [ticketId],
  )
  if (!definition) return null
  return (
    <fieldset className={css.actions} aria-label={t('side.actions', { name: device.name })}>
      <ActionButtons definition={definition} onOpen={setOpened} />
      {opened ? (
        <RunCallContext value={wrap}>
          <Suspense fallback={null}>
            <Dialog
              component={definition.actions?.[opened]?.component ?? ''}
              records={[{ id: device.id, name: device.name }]}
              resource="devices"
              action={opened}
              onClose={() => {
                setOpened(null)
                onDone()
              }}
            />
          </Suspense>
        </RunCallContext>
      ) : null}
    </fieldset>
  )
}

interface ActionButtonsProps {
  definition: NonNullable<ReturnType<typeof findDefinition>>
  onOpen: (action: string) => void
}

function ActionButtons({ definition, onOpen }: ActionButtonsProps) {
  const words = useWords(definition)
  return ACTIONS.map((name) => {
    const policy = definition.actions?.[name]?.policy
    if (!policy) return null
    return (
      <GuardedButton
        key={name}
        size="small"
        resource={policy.object}
        action={policy.verb}
        onClick={() => onOpen(name)}
      >
        {words.action(name)}
      </GuardedButton>
    )
  })
}

function Dialog({ component, ...props }: DialogProps & { component: string }) {
  const Component = useEngineComponent<DialogProps>(component)
  return Component ? <Component {...props} /> : null
}
