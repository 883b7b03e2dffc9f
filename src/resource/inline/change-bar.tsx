import { Button, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'

interface ChangeBarProps {
  resource: string
  changes: number
  rows: number
  /** Rows that cannot be saved as they are. */
  wrong: number
  isSaving: boolean
  onReview: () => void
  onSave: () => void
  onDiscard: () => void
}

/** Unsaved changes stay in view wherever the list is scrolled to. */
export function ChangeBar(props: ChangeBarProps) {
  const { resource, changes, rows, wrong, isSaving, onReview, onSave, onDiscard } = props
  const { t } = useTranslation('inline')
  const [isAsking, setAsking] = useState(false)
  const count = t('inRows', { count: rows, changes: t('changes', { count: changes }) })
  return (
    <section className="k-changes" aria-label={t('bar')}>
      <span role="status" className={changes > 0 ? 'k-bulk-count' : 'k-changes-hint'}>
        {changes > 0 ? count : t('hint')}
      </span>
      {changes > 0 ? (
        <>
          {wrong > 0 ? <span className="k-changes-wrong">{t('wrong', { count: wrong })}</span> : null}
          <span className="k-changes-end">
            <Button disabled={isSaving} onClick={() => setAsking(true)}>
              {t('discard')}
            </Button>
            <Button className="k-changes-review" onClick={onReview}>
              {t('review')}
            </Button>
            <GuardedButton
              resource={resource}
              action="edit"
              type="primary"
              loading={isSaving}
              disabled={wrong === rows}
              onClick={onSave}
            >
              {t('save')}
            </GuardedButton>
          </span>
        </>
      ) : null}
      <Modal
        open={isAsking}
        title={t('discardTitle', { count: changes })}
        okText={t('discard')}
        cancelText={t('back')}
        okButtonProps={{ danger: true }}
        onOk={() => {
          setAsking(false)
          onDiscard()
        }}
        onCancel={() => setAsking(false)}
      >
        <p>{t('discardText')}</p>
      </Modal>
    </section>
  )
}
