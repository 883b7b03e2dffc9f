import { Button, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DialogProps } from '@/resource/engine-context'
import { useSingleCall } from '@/ui/use-single-call'
import { Stars, useRateTicket } from './rating'

const MAX_NOTE = 1000

/** How content the requester is: a star saves at once, and a note may follow. */
export function RateDialog({ records, onClose, onDone = onClose }: DialogProps) {
  const { t } = useTranslation('tickets')
  const rate = useRateTicket()
  const [record] = records
  const [rating, setRating] = useState<number | null>(
    typeof record?.rating === 'number' ? record.rating : null,
  )
  const [note, setNote] = useState(typeof record?.rating_note === 'string' ? record.rating_note : '')
  const [isBusy, setBusy] = useState(false)
  const save = useSingleCall(async (stars: number, words?: string) => {
    if (!record) return
    setBusy(true)
    const isSaved = await rate(String(record.id), stars, words)
    setBusy(false)
    if (isSaved && words !== undefined) onDone()
  })
  if (!record) return null
  const subject = String(record.subject ?? '')
  return (
    <Modal
      open
      title={t('rating.title')}
      onCancel={onDone}
      footer={
        <Button
          type="primary"
          disabled={rating === null}
          loading={isBusy}
          onClick={() => void save(rating ?? 0, note)}
        >
          {t('rating.send')}
        </Button>
      }
    >
      <div className="l-stack-12">
        <span>{subject}</span>
        <Stars
          label={t('rating.label', { subject })}
          value={rating}
          isDisabled={isBusy}
          onRate={(stars) => {
            setRating(stars)
            void save(stars)
          }}
        />
        <Input.TextArea
          aria-label={t('rating.note')}
          placeholder={t('rating.note')}
          rows={3}
          maxLength={MAX_NOTE}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </div>
    </Modal>
  )
}
