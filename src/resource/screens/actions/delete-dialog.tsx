import { useNotification } from '@refinedev/core'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { LinkError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useLanguage } from '@/i18n/use-language'
import { targetOf } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { resourceEntries } from '@/resource/language/registry'
import { useResourceLabels, useWords } from '@/resource/language/words'
import { recordTitle } from '@/resource/request/query/title'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useDeleteRecords } from '@/resource/request/query/use-write'
import { useErrorText } from '@/resource/use-error-text'

/** The resources whose records are deleted with a record of this one. */
function deletedWith(definition: Definition): string[] {
  return resourceEntries().flatMap((entry) => {
    const fields = Object.values(entry.definition?.fields ?? {})
    const goes = fields.some(
      (field) => 'on_delete' in field && field.on_delete === 'cascade' && targetOf(field) === definition.name,
    )
    return goes ? [entry.name] : []
  })
}

/** The table whose rows refer to the record. PostgreSQL names it last in the message. */
function holderOf(error: unknown): string | undefined {
  if (!(error instanceof LinkError)) return undefined
  return /^update or delete on table .* on table "([^"]+)"/.exec(error.message)?.[1]
}

/** Warns that a deletion is final, and lists the resources that it cascades to. */
export function DeletionText({ definition }: { definition: Definition }) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const labels = useResourceLabels()
  const list = new Intl.ListFormat(useLanguage())
  const taken = deletedWith(definition).map((name) => labels(name).many)
  return (
    <>
      {taken.length > 0 ? <p>{t('action.deletedWith', { names: list.format(taken) })}</p> : null}
      <p>{words.text('deleteText') ?? t('action.deleteText')}</p>
    </>
  )
}

/** Why a deletion failed. Names the resource that still refers to the record. */
export function useDeletionError(): (error: unknown) => string {
  const { t } = useTranslation('engine')
  const labels = useResourceLabels()
  const errorText = useErrorText()
  return (error) => {
    const table = holderOf(error)
    const holder = resourceEntries().find(
      ({ definition }) => definition && table !== undefined && tableOf(definition) === table,
    )
    return holder ? t('action.heldBy', { names: labels(holder.name).many }) : errorText(error)
  }
}

interface DeleteDialogProps {
  definition: Definition
  scope: ResourceScope
  rows: readonly Row[]
  onClose: () => void
  onDone: () => void
}

export function DeleteDialog({ definition, scope, rows, onClose, onDone }: DeleteDialogProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const { open } = useNotification()
  const errorText = useDeletionError()
  const { remove, isPending } = useDeleteRecords(definition, scope)
  const first = rows[0]
  const values = {
    count: rows.length,
    name: words.many,
    title: first ? recordTitle(definition, first) : '',
  }
  const handleOk = async () => {
    try {
      const gone = await remove(rows.map((row) => String(row.id)))
      const partly = gone.length < rows.length
      open?.({
        type: partly ? 'error' : 'success',
        message: t('action.deleted', { ...values, count: gone.length }),
        ...(partly ? { description: t('action.partly', { done: gone.length, count: rows.length }) } : {}),
      })
      onDone()
    } catch (error) {
      open?.({
        type: 'error',
        message: t('action.failed', { action: t('action.delete') }),
        description: errorText(error),
      })
    }
  }
  return (
    <Modal
      open
      title={t('action.deleteTitle', values)}
      okText={t('action.delete')}
      cancelText={t('action.cancel')}
      okButtonProps={{ danger: true }}
      confirmLoading={isPending}
      onOk={handleOk}
      onCancel={onClose}
    >
      <DeletionText definition={definition} />
    </Modal>
  )
}
