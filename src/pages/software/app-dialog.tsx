import { useOne } from '@refinedev/core'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { TaskForm } from '@/pages/devices/task-form'
import type { DialogProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { APP, type App, appFits } from './app-fit'

const ACTS = ['install', 'update', 'remove'] as const

type Act = (typeof ACTS)[number]

interface CorporateApp {
  id: string
  name: string
  company_id: string
  platform: string
  package_version: string
}

/** Installs, updates or removes one app on devices. */
export function AppDialog({ records, resource, action, onClose }: DialogProps) {
  const { t } = useTranslation(['software', 'devices', 'procedures', 'jobs', 'access'])
  const errorText = useErrorText()
  const isCorporate = resource === 'corporate_apps'
  const act: Act = ACTS.find((each) => each === action) ?? 'install'
  const { query } = useOne<App & CorporateApp>({
    resource,
    id: String(records[0]?.id ?? ''),
    meta: { select: isCorporate ? 'id,name,company_id,platform,package_version' : APP },
    errorNotification: false,
  })
  const app = query.data?.data
  const label = app ? t(`act.${act}`, { app: app.name }) : ''
  return (
    <Modal open title={label} onCancel={onClose} footer={null} width={640} mask={{ closable: false }}>
      {app ? (
        <TaskForm
          resource={resource}
          task={
            isCorporate
              ? { rpc: 'run_corporate_app', args: { corporate_app_id: app.id, name: label } }
              : { rpc: 'run_app', args: { app_id: app.id, act, name: label } }
          }
          preset={{ devices: [] }}
          companyId={isCorporate ? app.company_id : null}
          fits={(target) =>
            isCorporate ? !target.platform || target.platform === app.platform : appFits(app, target)
          }
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
