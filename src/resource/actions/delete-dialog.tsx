import { useNotification } from '@refinedev/core'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { DeletionText, useDeletionError } from '@/resource/actions/deletion'
import type { Definition } from '@/resource/definition/definition.generated'
import { useWords } from '@/resource/definition/words'
import { recordTitle } from '@/resource/query/title'
import type { ResourceScope } from '@/resource/query/use-scope'
import { useDeleteRecords } from '@/resource/query/use-write'

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
