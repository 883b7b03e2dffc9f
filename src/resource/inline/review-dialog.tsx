import { Alert, Button, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import type { Definition } from '@/resource/definition/definition.generated'
import { FieldLinksContext } from '@/resource/fields/cell-parts'
import { changeCount, type EditQueue } from '@/resource/inline/edit-queue'
import { ReviewRow } from '@/resource/inline/review-row'
import type { QueueTexts } from '@/resource/inline/use-queue-texts'
import type { ResourceScope } from '@/resource/query/use-scope'

interface ReviewDialogProps {
  definition: Definition
  scope: ResourceScope
  queue: EditQueue
  texts: QueueTexts
  /** The number of rows that the last attempt to save wrote; null before one. */
  saved: number | null
  isSaving: boolean
  onRemove: (id: string, name: string) => void
  onKeepMine: (id: string, name: string) => void
  onSave: () => void
  onClose: () => void
}

/** Every change before it is written: what it is, what stands against it, and a way to take it back. */
export function ReviewDialog(props: ReviewDialogProps) {
  const { definition, scope, queue, texts, saved, isSaving, onSave, onClose } = props
  const { t } = useTranslation('inline')
  const rows = [...queue.values()]
  const count = t('inRows', { count: queue.size, changes: t('changes', { count: changeCount(queue) }) })
  const isAnyReady = rows.some(({ id }) => texts.get(id)?.isReady)
  return (
    <Modal
      open
      width={880}
      title={t('reviewTitle')}
      mask={{ closable: false }}
      onCancel={onClose}
      footer={[
        <Button key="back" onClick={onClose}>
          {t('back')}
        </Button>,
        <GuardedButton
          key="save"
          resource={definition.name}
          action="edit"
          type="primary"
          loading={isSaving}
          disabled={!isAnyReady}
          onClick={onSave}
        >
          {t('save')}
        </GuardedButton>,
      ]}
    >
      {saved !== null && rows.length > 0 ? (
        <Alert
          className="k-form-notice"
          type="warning"
          showIcon
          role="status"
          title={t('saved', { count: saved })}
          description={t('left')}
        />
      ) : null}
      <p>{rows.length > 0 ? count : t('none')}</p>
      {rows.length > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <section className="k-review" aria-label={t('reviewTitle')} tabIndex={0}>
          {/* A press on a record's name must not leave what is not saved. */}
          <FieldLinksContext value={false}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t('field')}</th>
                  <th scope="col">{t('old')}</th>
                  <th scope="col">{t('new')}</th>
                  <th scope="col">
                    <span className="k-visually-hidden">{t('remove')}</span>
                  </th>
                </tr>
              </thead>
              {rows.map((row) => (
                <ReviewRow
                  key={row.id}
                  definition={definition}
                  scope={scope}
                  row={row}
                  texts={texts.get(row.id)}
                  onRemove={(name) => props.onRemove(row.id, name)}
                  onKeepMine={(name) => props.onKeepMine(row.id, name)}
                />
              ))}
            </table>
          </FieldLinksContext>
        </section>
      ) : null}
    </Modal>
  )
}
