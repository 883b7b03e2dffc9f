import { useDeleteMany, useNotification } from '@refinedev/core'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { useErrorText } from '@/resource/use-error-text'

/** Ids travel in the address of the request. */
const BATCH = 100

interface RemoveDevicesDialogProps {
  group: { groupId: string; companyId: string }
  devices: readonly Row[]
  onClose: () => void
  onRemoved: () => void
}

/** Asks before devices leave a group; the devices themselves stay. */
export function RemoveDevicesDialog({ group, devices, onClose, onRemoved }: RemoveDevicesDialogProps) {
  const { t } = useTranslation(['groups', 'common'])
  const errorText = useErrorText()
  const { open } = useNotification()
  const { mutateAsync: deleteMembers, mutation } = useDeleteMany()
  const remove = async () => {
    try {
      let count = 0
      for (let start = 0; start < devices.length; start += BATCH) {
        const { data } = await deleteMembers({
          resource: 'group_devices',
          ids: devices.slice(start, start + BATCH).map(({ id }) => String(id)),
          meta: {
            companyId: group.companyId,
            idColumnName: 'device_id',
            conditions: [{ field: 'group_id', operator: 'eq', value: group.groupId }],
          },
          invalidates: [],
          successNotification: false,
          errorNotification: false,
        })
        count += data.length
      }
      open?.({ type: 'success', message: t('members.removed', { count }) })
    } catch (error) {
      open?.({ type: 'error', message: t('members.removeFailed'), description: errorText(error) })
    }
    onRemoved()
    onClose()
  }
  return (
    <Modal
      open
      title={t('members.removeTitle', { count: devices.length, name: devices[0]?.name })}
      okText={t('members.remove')}
      cancelText={t('common:actions.cancel')}
      okButtonProps={{ danger: true }}
      confirmLoading={mutation.isPending}
      onOk={() => void remove()}
      onCancel={onClose}
    >
      {t('members.removeText', { count: devices.length })}
    </Modal>
  )
}
