import CaretRightOutlined from '@ant-design/icons/es/icons/CaretRightOutlined'
import ClockCircleOutlined from '@ant-design/icons/es/icons/ClockCircleOutlined'
import { useNotification } from '@refinedev/core'
import { Button } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CheckError } from '@/data/errors'
import { useIsColleagues, useRunningTimer, useSecondsSince } from '@/pages/tickets/running-timer'
import { noteTimer } from '@/pages/tickets/timer-flag'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import type { TabProps } from '@/resource/engine-context'
import { useDurationText } from '@/resource/fields/number/duration-text'
import { useErrorText } from '@/resource/use-error-text'
import { lazyPart } from '@/ui/load-chunk'
import { RelativeTime } from '@/ui/relative-time'
import { useSingleCall } from '@/ui/use-single-call'
import css from './timer.module.css'

const TimerDialog = lazyPart(() =>
  import('@/pages/tickets/timer-dialog').then((module) => ({ default: module.TimerDialog })),
)

/** The timer beside a ticket: one press starts it, and it is seen to run. */
export function TimerPanel({ record, resource }: TabProps) {
  const { t } = useTranslation('tickets')
  const errorText = useErrorText()
  const durationText = useDurationText()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const [isDialogOpen, setDialogOpen] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const id = String(record.id)
  const since = typeof record.timer_started_at === 'string' ? record.timer_started_at : null
  // The page asks whose timer it is only while one runs on this ticket.
  const { query, running, userId } = useRunningTimer({ isEnabled: since !== null })
  const isMine = since !== null && running?.ticket_id === id
  const isColleagues = useIsColleagues({ ticketId: id, since: isMine || !query.data ? null : since })
  const seconds = useSecondsSince(isMine ? running.started_at : undefined)

  const start = useSingleCall(async () => {
    setBusy(true)
    try {
      const other = (await query.refetch()).data?.data[0]
      // A timer on another ticket is asked about first.
      if (other && other.ticket_id !== id) return setDialogOpen(true)
      await call('start_timer', { ticket_id: id })
      noteTimer(userId ?? null)
      open?.({ type: 'success', message: t('timer.started') })
      await Promise.all([cache.invalidate(resource), cache.invalidate('time_entries')])
    } catch (error) {
      if (error instanceof CheckError && error.rule === 'timer_long') setDialogOpen(true)
      else open?.({ type: 'error', message: t('timer.title'), description: errorText(error) })
    } finally {
      setBusy(false)
    }
  })

  if (record.merged_into_id !== null && record.merged_into_id !== undefined)
    return <p className="l-first k-soft">{t('timer.merged')}</p>
  return (
    <div className={`l-first ${css.panel}`}>
      {isMine ? (
        <>
          <span className={css.running} role="timer">
            <ClockCircleOutlined aria-hidden="true" />{' '}
            <span className={css.time}>{durationText(seconds)}</span>
          </span>
          <Button size="small" onClick={() => setDialogOpen(true)}>
            {t('timer.stop')}
          </Button>
        </>
      ) : (
        <>
          <Button
            size="small"
            icon={<CaretRightOutlined aria-hidden="true" />}
            loading={isBusy}
            onClick={() => void start()}
          >
            {t('timer.start')}
          </Button>
          {since !== null && isColleagues ? (
            <span className={css.running}>
              {t('timer.other')} <RelativeTime value={since} />
            </span>
          ) : null}
        </>
      )}
      {isDialogOpen ? (
        <Suspense fallback={null}>
          <TimerDialog records={[record]} resource={resource} onClose={() => setDialogOpen(false)} />
        </Suspense>
      ) : null}
    </div>
  )
}
