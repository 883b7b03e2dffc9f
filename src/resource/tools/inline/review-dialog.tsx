import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import { Alert, Button, Modal, Space } from 'antd'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { useCan } from '@/access/use-can'
import { FieldLinksContext } from '@/resource/fields/cell-parts'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { recordTitle } from '@/resource/request/query/title'
import { useActivity } from '@/resource/request/query/use-record-query'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { MergeSide } from '@/resource/screens/form/merge-side'
import { changeCount, type EditQueue, type QueuedRow, recordOf } from '@/resource/tools/inline/edit-queue'
import type { QueueTexts, RowTexts } from '@/resource/tools/inline/use-queue-texts'

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

/** Every change before it is written, with its problems and a way to take it back. */
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
          {/* A press on a record's name must not leave unsaved changes. */}
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

interface ReviewRowProps {
  definition: Definition
  scope: ResourceScope
  row: QueuedRow
  texts: RowTexts | undefined
  onRemove: (name: string) => void
  onKeepMine: (name: string) => void
}

/** Shows a row of the review: its title, its conflict or failure, and its changes. */
function ReviewRow({ definition, row, texts, onRemove, onKeepMine }: ReviewRowProps) {
  const { t } = useTranslation('inline')
  const can = useCan()
  const title = recordTitle(definition, row.base)
  const knowsWho = can('audit_log', 'list').allowed
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={4} className="k-review-title">
          {title}
          {row.isOvertaken ? (
            <span className="k-soft">
              {knowsWho ? <Overtaken definition={definition} id={row.id} /> : t('overtaken')}
            </span>
          ) : null}
          {texts?.row ? <span className="k-review-problem">{texts.row}</span> : null}
        </th>
      </tr>
      {Object.keys(row.changes).map((name) => (
        <ReviewLine
          key={name}
          definition={definition}
          row={row}
          name={name}
          title={title}
          problem={texts?.cells.get(name)}
          isConflict={texts?.conflicts.includes(name) ?? false}
          onRemove={() => onRemove(name)}
          onKeepMine={() => onKeepMine(name)}
        />
      ))}
    </tbody>
  )
}

/** Names the other author, for those who may read the audit log. */
function Overtaken({ definition, id }: { definition: Definition; id: string }) {
  const { t } = useTranslation('inline')
  const { t: engine } = useTranslation('engine')
  const { data } = useActivity(definition, id)
  const latest = data?.find(({ action }) => action === 'edit')
  if (!latest) return t('overtaken')
  return engine('merge.by', { who: latest.author?.name ?? engine('activity.system') })
}

interface ReviewLineProps {
  definition: Definition
  row: QueuedRow
  name: string
  title: string
  problem: string | undefined
  isConflict: boolean
  onRemove: () => void
  onKeepMine: () => void
}

function ReviewLine(props: ReviewLineProps) {
  const { definition, row, name, title, problem, isConflict, onRemove, onKeepMine } = props
  const { t } = useTranslation('inline')
  const words = useWords(definition)
  const field = definition.fields[name]
  if (!field) return null
  const label = words.field(name)
  const side = { definition, name, field }
  return (
    <tr data-wrong={problem !== undefined}>
      <th scope="row">{label}</th>
      <td>
        <MergeSide {...side} values={row.base} />
        {isConflict && row.theirs ? (
          <div className="k-review-theirs">
            <span className="k-soft">{t('theirs')}</span>
            <MergeSide {...side} values={row.theirs} />
          </div>
        ) : null}
      </td>
      <td>
        <MergeSide {...side} values={recordOf(row)} />
        {problem ? <span className="k-review-problem">{problem}</span> : null}
        {isConflict ? (
          <Space wrap className="k-review-choice">
            <Button size="small" aria-label={t('keepMineOf', { field: label, title })} onClick={onKeepMine}>
              {t('keepMine')}
            </Button>
            <Button size="small" aria-label={t('takeTheirsOf', { field: label, title })} onClick={onRemove}>
              {t('takeTheirs')}
            </Button>
          </Space>
        ) : null}
      </td>
      <td>
        {isConflict ? null : (
          <Button
            type="text"
            icon={<DeleteOutlined aria-hidden="true" />}
            aria-label={t('removeOf', { field: label, title })}
            title={t('remove')}
            onClick={onRemove}
          />
        )}
      </td>
    </tr>
  )
}
