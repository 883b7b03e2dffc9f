import ClockCircleOutlined from '@ant-design/icons/es/icons/ClockCircleOutlined'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRunningTimer, useSecondsSince } from '@/pages/tickets/running-timer'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useDurationText } from '@/resource/fields/number/duration-text'
import { Tip } from '@/ui/tip'
import css from './timer.module.css'

/** The running timer of the signed-in person, on every page: it leads to its ticket. */
export function TimerChip() {
  const { t } = useTranslation('tickets')
  const durationText = useDurationText()
  const { query, running } = useRunningTimer()
  const seconds = useSecondsSince(running?.started_at)
  useLiveRefresh(
    running?.company_id ?? null,
    ['time_entries'],
    [{ isEnabled: running !== undefined, dataUpdatedAt: query.dataUpdatedAt, refetch: query.refetch }],
  )
  if (!running) return null
  const time = durationText(seconds)
  const label = t('timer.chip', { number: running.ticket?.number ?? '', time })
  return (
    <Tip title={t('timer.on', { number: running.ticket?.number, subject: running.ticket?.subject })}>
      <Link className={css.chip} to={`/tickets/${running.ticket_id}`} aria-label={label}>
        <ClockCircleOutlined aria-hidden="true" />
        <span className={css.time} aria-hidden="true">
          {time}
        </span>
      </Link>
    </Tip>
  )
}
