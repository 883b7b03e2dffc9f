import { useNotification } from '@refinedev/core'
import { Button, Form, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRunningTimer, useSecondsSince } from '@/pages/tickets/running-timer'
import { noteTimer } from '@/pages/tickets/timer-flag'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import type { DialogProps } from '@/resource/engine-context'
import { DateField } from '@/resource/fields/date/date-field'
import { useDurationText } from '@/resource/fields/number/duration-text'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { useSingleCall } from '@/ui/use-single-call'

/** As the database marks them: such a timer was probably forgotten. */
const LONG_SECONDS = 12 * 3600

/** Starts and stops the timer of the signed-in person on a ticket. Each person has one timer. */
export function TimerDialog({ records, resource, onClose, onDone = onClose }: Omit<DialogProps, 'action'>) {
  const { t } = useTranslation(['tickets', 'engine'])
  const errorText = useErrorText()
  const durationText = useDurationText()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const ticketId = String(records[0]?.id ?? '')
  const [note, setNote] = useState<string | null>(null)
  const [end, setEnd] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const { query, running, userId } = useRunningTimer()
  const seconds = useSecondsSince(running?.started_at)
  const isHere = running?.ticket_id === ticketId
  const isLong = seconds > LONG_SECONDS
  // A forgotten timer is ended first: only its person knows when.
  const stops = running !== undefined && (isHere || isLong)

  const run = useSingleCall(async () => {
    setBusy(true)
    try {
      if (stops) {
        const text = note ?? running.note
        await call('stop_timer', { ...(text ? { note: text } : {}), ...(end ? { ended_at: end } : {}) })
        const took = end ? (Date.parse(end) - Date.parse(running.started_at)) / 1000 : seconds
        open?.({ type: 'success', message: t('timer.stopped', { time: durationText(took) }) })
      } else {
        await call('start_timer', { ticket_id: ticketId })
        noteTimer(userId ?? null)
        open?.({ type: 'success', message: t('timer.started') })
      }
      await Promise.all([cache.invalidate(resource), cache.invalidate('time_entries')])
      onDone()
    } catch (error) {
      open?.({ type: 'error', message: t('timer.title'), description: errorText(error) })
      setBusy(false)
    }
  })

  return (
    <Modal
      open
      title={t('timer.title')}
      onCancel={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('engine:action.cancel')}</Button>
          <Button
            type="primary"
            loading={isBusy}
            disabled={!query.data || (isLong && end === null)}
            onClick={() => void run()}
          >
            {t(stops ? 'timer.stop' : 'timer.start')}
          </Button>
        </>
      }
    >
      {query.data ? (
        <>
          <p>
            {running === undefined
              ? t('timer.none')
              : isHere
                ? t('timer.here')
                : t('timer.elsewhere', { number: running.ticket?.number, subject: running.ticket?.subject })}
          </p>
          {running === undefined ? null : (
            <p role="timer">
              <strong>{t('timer.running', { time: durationText(seconds) })}</strong>
            </p>
          )}
          {stops ? (
            <Form layout="vertical">
              {isLong ? (
                <Form.Item label={t('timer.ended')} htmlFor="timer-end" extra={t('timer.long')}>
                  <DateField id="timer-end" withTime value={end} onChange={setEnd} />
                </Form.Item>
              ) : null}
              <Form.Item label={t('timer.note')} htmlFor="timer-note">
                <Input.TextArea
                  id="timer-note"
                  rows={3}
                  maxLength={2000}
                  value={note ?? running.note ?? ''}
                  onChange={({ target }) => setNote(target.value)}
                />
              </Form.Item>
            </Form>
          ) : null}
        </>
      ) : (
        <QueryState query={query} rows={2} />
      )}
    </Modal>
  )
}
