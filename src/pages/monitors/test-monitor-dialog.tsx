import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import type { DialogProps } from '@/resource/engine-context'
import { TaskForm } from '@/runs/start/task-form'

/** Makes the check of a monitor once on chosen devices and shows what they found. */
export function TestMonitorDialog({ records, onClose }: DialogProps) {
  const { t } = useTranslation('monitors')
  const [monitor] = records
  if (!monitor) return null
  const name = String(monitor.name)
  return (
    <Modal open title={t('test.title', { name })} onCancel={onClose} footer={null} width={640}>
      <TaskForm
        resource="monitors"
        task={{ rpc: 'test_monitor', args: { monitor_id: monitor.id, name: t('test.job', { name }) } }}
        preset={{ devices: [] }}
        hasCap={false}
        companyId={String(monitor.company_id)}
        okText={t('test.ok')}
        onClose={onClose}
      >
        <p className="l-first">{t('test.text')}</p>
      </TaskForm>
    </Modal>
  )
}
