import { type HttpError, useOne } from '@refinedev/core'
import { Button, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TableRow } from '@/data/database'
import type { DialogProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { useSingleCall } from '@/ui/use-single-call'
import { Stars, useRateTicket } from './rating'

const MAX_NOTE = 1000

type Rated = Pick<TableRow<'tickets'>, 'id' | 'subject' | 'rating' | 'rating_note'>

/** Asks the requester for stars and a note, and begins with an earlier rating of theirs. */
export function RateDialog({ records, onClose, onDone = onClose }: DialogProps) {
  const { t } = useTranslation('tickets')
  const rate = useRateTicket()
  const id = String(records[0]?.id ?? '')
  // A row of a list has no note, and the page may have been open for a while.
  const { query } = useOne<Rated, HttpError>({
    resource: 'tickets',
    id,
    meta: { select: 'id,subject,rating,rating_note' },
    queryOptions: { refetchOnMount: 'always' },
  })
  const [before, setBefore] = useState<Rated | null>(null)
  // The first answer is kept, because sending makes the ticket a rated one and would turn the dialog into that of a change.
  if (before === null && query.isFetchedAfterMount && query.data) setBefore(query.data.data)
  const [stars, setStars] = useState<number | null>(null)
  const [words, setWords] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const rating = stars ?? before?.rating ?? null
  const note = words ?? before?.rating_note ?? ''
  const isChange = typeof before?.rating === 'number'
  const send = useSingleCall(async () => {
    if (rating === null) return
    setBusy(true)
    const isSaved = await rate(id, rating, note)
    setBusy(false)
    if (isSaved) onDone()
  })
  return (
    <Modal
      open
      title={t(isChange ? 'rating.change' : 'rating.title')}
      onCancel={onClose}
      footer={
        <Button
          type="primary"
          disabled={rating === null || !before}
          loading={isBusy}
          onClick={() => void send()}
        >
          {t(isChange ? 'rating.change' : 'rating.send')}
        </Button>
      }
    >
      {before ? (
        <div className="l-stack-12">
          <span>{before.subject}</span>
          <Stars
            label={t('rating.label', { subject: before.subject })}
            value={rating}
            isDisabled={isBusy}
            onRate={setStars}
          />
          <Input.TextArea
            aria-label={t('rating.note')}
            placeholder={t('rating.note')}
            rows={3}
            maxLength={MAX_NOTE}
            value={note}
            onChange={(event) => setWords(event.target.value)}
          />
        </div>
      ) : (
        <QueryState query={query} rows={3} />
      )}
    </Modal>
  )
}
