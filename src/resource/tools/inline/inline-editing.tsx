import { useNotification } from '@refinedev/core'
import { Button, Modal } from 'antd'
import { type RefObject, useCallback, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import type { Row } from '@/data/rows'
import { useMayChoose, useRefusedFields } from '@/resource/fields/guards'
import type { Definition } from '@/resource/language/definition.generated'
import type { ListColumn } from '@/resource/request/query/columns'
import { titleFields } from '@/resource/request/query/title'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import type { CellGrid, CellPlace } from '@/resource/tools/inline/cell-grid'
import { cellColumns, neededFields } from '@/resource/tools/inline/check-queue'
import { changeCount, EMPTY_QUEUE, enqueue, keepMine, removeChange } from '@/resource/tools/inline/edit-queue'
import { ReviewDialog } from '@/resource/tools/inline/review-dialog'
import { useCellEdit, useCellGrid } from '@/resource/tools/inline/use-cell-grid'
import { useCells } from '@/resource/tools/inline/use-cells'
import { useEditQueue } from '@/resource/tools/inline/use-edit-queue'
import { useQueueTexts } from '@/resource/tools/inline/use-queue-texts'
import { useErrorText } from '@/resource/use-error-text'
import { LeaveGuard } from '@/ui/leave-guard'
import type { Navigation } from '@/ui/leaving'
import '@/resource/tools/inline/inline.css'

const tabOf = (search: string) => new URLSearchParams(search).get('tab')

/** Another tab of a record also hides the list in this one; another page of the list does not. */
function isOtherTab({ currentLocation, nextLocation }: Navigation): boolean {
  return tabOf(currentLocation.search) !== tabOf(nextLocation.search)
}

interface InlineEditingProps {
  definition: Definition
  scope: ResourceScope
  columns: readonly ListColumn[]
  rows: readonly Row[]
  isOn: boolean
  start: CellPlace | null
  root: RefObject<HTMLElement | null>
  onGrid: (grid: CellGrid | null) => void
  onOff: () => void
}

/** Editing in the cells of a list: the open cell, the changes that wait, and the ways to look them over and write them. */
export function InlineEditing(props: InlineEditingProps) {
  const { definition, scope, columns, rows, isOn, start, root, onGrid, onOff } = props
  const { t } = useTranslation('inline')
  const { t: engine } = useTranslation('engine')
  const { open } = useNotification()
  const errorText = useErrorText()
  const refused = useRefusedFields(definition)
  const mayChoose = useMayChoose()
  const shown = columns.map(({ field }) => field).join(' ')
  const names = useMemo(
    () => cellColumns(definition, shown.split(' '), (name, field) => !refused.has(name) && mayChoose(field)),
    [definition, shown, refused, mayChoose],
  )
  const fields = useMemo(
    () => [...neededFields(definition, names), ...titleFields(definition)],
    [definition, names],
  )
  const edits = useEditQueue(definition, scope, rows, fields)
  const { queue, isSaving, change } = edits
  const texts = useQueueTexts(definition, queue, scope.filter)
  const edit = useCellEdit()
  /** Open with what the last attempt to save did; null as long as it is closed. */
  const [review, setReview] = useState<{ saved: number | null } | null>(null)

  const keep = useCallback(
    (row: Row, name: string, value: unknown) =>
      change((before) => enqueue(before, definition, row, name, value)),
    [change, definition],
  )
  const grid = useCells({
    definition,
    scope,
    names,
    fields,
    isOn,
    isLocked: isSaving,
    queue,
    texts,
    edit,
    keep,
  })
  useCellGrid({ root, grid, start, onGrid, onOff }, edit)

  const ready = [...queue.keys()].filter((id) => texts.get(id)?.isReady)
  const handleSave = async () => {
    try {
      const { saved } = await edits.save(ready)
      if (saved === queue.size) {
        setReview(null)
        open?.({ type: 'success', message: t('saved', { count: saved }) })
      } else setReview({ saved })
    } catch (error) {
      open?.({ type: 'error', message: t('failed'), description: errorText(error) })
    }
  }
  return (
    <>
      {isOn || queue.size > 0 ? (
        <ChangeBar
          resource={definition.name}
          changes={changeCount(queue)}
          rows={queue.size}
          wrong={queue.size - ready.length}
          isSaving={isSaving}
          onReview={() => setReview({ saved: null })}
          onSave={() => void handleSave()}
          onDiscard={() => change(() => EMPTY_QUEUE)}
        />
      ) : null}
      {review ? (
        <ReviewDialog
          definition={definition}
          scope={scope}
          queue={queue}
          texts={texts}
          saved={review.saved}
          isSaving={isSaving}
          onRemove={(id, name) => change((before) => removeChange(before, definition, id, name))}
          onKeepMine={(id, name) => change((before) => keepMine(before, definition, id, name))}
          onSave={() => void handleSave()}
          onClose={() => setReview(null)}
        />
      ) : null}
      <LeaveGuard
        loss="changes"
        isLost={() => queue.size > 0}
        isWayOut={isOtherTab}
        title={engine('form.leaveTitle')}
        text={engine('form.leaveText')}
      />
    </>
  )
}

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
function ChangeBar(props: ChangeBarProps) {
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
