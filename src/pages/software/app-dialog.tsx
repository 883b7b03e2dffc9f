import { useOne } from '@refinedev/core'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import type { DialogProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { TaskForm } from '@/runs/start/task-form'
import { APP, type App, appFits } from './app-fit'

const ACTS = ['install', 'update', 'remove'] as const

type Act = (typeof ACTS)[number]

/** Installs, updates or removes one app of the store on devices. */
export function AppDialog({ records, resource, action, onClose }: DialogProps) {
  const { t } = useTranslation(['software', 'devices', 'procedures', 'jobs', 'access'])
  const act: Act = ACTS.find((each) => each === action) ?? 'install'
  const { query } = useOne<App>({
    resource,
    id: String(records[0]?.id ?? ''),
    meta: { select: APP },
  })
  const app = query.data?.data
  const label = app ? t(`act.${act}`, { app: app.name }) : ''
  return (
    <Modal open title={label} onCancel={onClose} footer={null} width={640}>
      {app ? (
        <TaskForm
          resource={resource}
          task={{ rpc: 'run_app', args: { app_id: app.id, act, name: label } }}
          preset={{ devices: [] }}
          fits={(target) => appFits(app, target)}
          okText={t(`ok.${act}`)}
          isDanger={act === 'remove'}
          onClose={onClose}
        />
      ) : (
        <QueryState query={query} rows={4} />
      )}
    </Modal>
  )
}
