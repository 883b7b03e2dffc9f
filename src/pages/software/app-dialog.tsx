import { useOne } from '@refinedev/core'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import type { DialogProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { TaskForm } from '@/runs/start/task-form'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { APP, type App, appFits } from './app-fit'

const ACTS = ['install', 'update', 'remove'] as const

type Act = (typeof ACTS)[number]

/** Installs, updates or removes one app of the store on devices. */
export function AppDialog({ records, resource, action, onClose }: DialogProps) {
  const { t } = useTranslation(['software', 'devices', 'procedures', 'jobs', 'access'])
  const errorText = useErrorText()
  const act: Act = ACTS.find((each) => each === action) ?? 'install'
  const { query } = useOne<App>({
    resource,
    id: String(records[0]?.id ?? ''),
    meta: { select: APP },
    errorNotification: false,
  })
  const app = query.data?.data
  const label = app ? t(`act.${act}`, { app: app.name }) : ''
  return (
    <Modal open title={label} onCancel={onClose} footer={null} width={640} mask={{ closable: false }}>
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
      ) : query.isError ? (
        <ErrorState text={errorText(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <LoadingState rows={4} />
      )}
    </Modal>
  )
}
