import { Form, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { DialogProps } from '@/resource/engine-context'
import { TaskForm } from '@/runs/start/task-form'
import { TaskModal } from '@/runs/start/task-modal'
import { RecordSelect } from '@/runs/targets/record-select'
import { APP, type App, appFits } from './app-fit'

const ACTS = ['install', 'update', 'remove'] as const

type Act = (typeof ACTS)[number]

/** An app of the store on the chosen devices, or the members of the chosen groups. */
export function InstallAppDialog({ records, resource, matching, onClose }: DialogProps) {
  const { t } = useTranslation('software')
  const [app, setApp] = useState<App | null>(null)
  const [act, setAct] = useState<Act>('install')
  const label = app ? t(`act.${act}`, { app: app.name }) : ''
  return (
    <TaskModal
      title={t('dialog.title')}
      resource={resource}
      ids={records.map(({ id }) => String(id))}
      matching={matching}
      onClose={onClose}
    >
      {(preset) => (
        <TaskForm
          resource="apps"
          task={app ? { rpc: 'run_app', args: { app_id: app.id, act, name: label } } : null}
          preset={preset}
          {...(app ? { fits: (target) => appFits(app, target) } : {})}
          okText={t(`ok.${act}`)}
          isDanger={act === 'remove'}
          onClose={onClose}
        >
          <Form.Item label={t('dialog.app')} required htmlFor="task-app">
            <RecordSelect<App>
              id="task-app"
              resource="apps"
              select={APP}
              companyId={null}
              label={t('dialog.app')}
              placeholder={t('dialog.placeholder')}
              nothing={t('dialog.nothing')}
              value={app}
              onChange={setApp}
            />
          </Form.Item>
          <Form.Item label={t('dialog.act')} required>
            <Radio.Group
              optionType="button"
              name="task-act"
              aria-label={t('dialog.act')}
              value={act}
              options={ACTS.map((each) => ({ value: each, label: t(`ok.${each}`) }))}
              onChange={(event) => setAct(event.target.value as Act)}
            />
          </Form.Item>
        </TaskForm>
      )}
    </TaskModal>
  )
}
