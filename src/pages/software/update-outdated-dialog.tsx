import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRpc } from '@/refine/use-rpc'
import { QueryState } from '@/resource/query-state'
import { TaskForm } from '@/runs/start/task-form'
import { TaskModal } from '@/runs/start/task-modal'
import { type App, appFits } from './app-fit'

interface UpdateOutdatedProps {
  app: App
  companyId: string
  onClose: () => void
}

/** Updates an app on the devices whose version is older than the newest in the company. */
export function UpdateOutdatedDialog({ app, companyId, onClose }: UpdateOutdatedProps) {
  const { t } = useTranslation('software')
  const outdated = useRpc<string[]>({
    name: 'app_outdated_devices',
    args: { app_id: app.id, company: companyId },
    resource: 'device_software',
  })
  const { data } = outdated
  const title = t('act.update', { app: app.name })
  if (data && data.length > 0)
    return (
      <TaskModal title={title} resource="devices" ids={data} onClose={onClose}>
        {(preset) => (
          <TaskForm
            resource="apps"
            task={{ rpc: 'run_app', args: { app_id: app.id, act: 'update', name: title } }}
            preset={preset}
            companyId={companyId}
            fits={(target) => appFits(app, target)}
            okText={t('ok.update')}
            onClose={onClose}
          />
        )}
      </TaskModal>
    )
  return (
    <Modal open title={title} onCancel={onClose} footer={null} width={640}>
      <QueryState query={outdated} rows={4} empty={{ title: t('store.noneOutdated') }} />
    </Modal>
  )
}
