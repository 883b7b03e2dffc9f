import { useOne } from '@refinedev/core'
import { Form, Modal, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DialogProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { TaskForm } from '@/runs/start/task-form'
import { namesPackage } from './app-fit'

const ACTS = ['install', 'reinstall', 'remove'] as const

type Act = (typeof ACTS)[number]

interface CorporateApp {
  [column: string]: unknown
  id: string
  name: string
  company_id: string
  platform: string
  package_version: string
  detection_rule: string | null
}

/** Installs a corporate app on devices, over whatever is there if that is asked for, or removes it. */
export function CorporateAppDialog({ records, resource, onClose }: DialogProps) {
  const { t } = useTranslation(['software', 'devices', 'procedures', 'jobs', 'access'])
  const [act, setAct] = useState<Act>('install')
  const { query } = useOne<CorporateApp>({
    resource,
    id: String(records[0]?.id ?? ''),
    meta: { select: 'id,name,company_id,platform,package_version,detection_rule' },
  })
  const app = query.data?.data
  const nameOf = (of: CorporateApp) =>
    t(act === 'reinstall' ? 'corporate.reinstall_name' : `act.${act}`, {
      app: act === 'remove' ? of.name : `${of.name} ${of.package_version}`,
    })
  return (
    <Modal
      open
      title={app ? t('corporate.title', { app: app.name }) : ''}
      onCancel={onClose}
      footer={null}
      width={640}
    >
      {app ? (
        <TaskForm
          resource={resource}
          task={
            act === 'remove' && !namesPackage(app.detection_rule)
              ? null
              : { rpc: 'run_corporate_app', args: { corporate_app_id: app.id, act, name: nameOf(app) } }
          }
          preset={{ devices: [] }}
          companyId={app.company_id}
          fits={(target) => !target.platform || target.platform === app.platform}
          okText={t(`corporate.${act}`)}
          isDanger={act === 'remove'}
          onClose={onClose}
        >
          <Form.Item
            label={t('dialog.act')}
            required
            {...(act === 'remove' && !namesPackage(app.detection_rule)
              ? {
                  validateStatus: 'error',
                  help: t(app.detection_rule ? 'corporate.cannotRemove' : 'corporate.noRule'),
                }
              : {
                  extra: t(`corporate.${act}_help`, {
                    version: app.package_version,
                    rule: app.detection_rule,
                  }),
                })}
          >
            <Radio.Group
              optionType="button"
              name="task-act"
              aria-label={t('dialog.act')}
              value={act}
              options={ACTS.map((each) => ({ value: each, label: t(`corporate.${each}`) }))}
              onChange={(event) => setAct(event.target.value as Act)}
            />
          </Form.Item>
        </TaskForm>
      ) : (
        <QueryState query={query} rows={4} />
      )}
    </Modal>
  )
}
