import { useTranslation } from 'react-i18next'
import type { DialogProps } from '@/resource/engine-context'
import { TaskForm } from './task-form'
import { TaskModal } from './task-modal'

const TASKS = {
  reboot: { resource: 'devices', isDanger: true },
  shut_down: { resource: 'devices', isDanger: true },
  inventory: { resource: 'devices', isDanger: false },
  scan_patches: { resource: 'device_patches', isDanger: false },
  update_agent: { resource: 'devices', isDanger: false },
  install_patches: { resource: 'device_patches', isDanger: false },
} as const

type TaskName = keyof typeof TASKS

const isTask = (action: string): action is TaskName => Object.hasOwn(TASKS, action)

/** Restarts, inventory and updates on the chosen devices, or the members of the chosen groups. */
export function TaskDialog({ records, resource, action, matching, onClose }: DialogProps) {
  const { t } = useTranslation('devices')
  if (!isTask(action)) return null
  const label = t(`tasks.${action}.action`)
  return (
    <TaskModal
      title={label}
      // An agent is its device.
      resource={resource === 'agents' ? 'devices' : resource}
      ids={records.map(({ id }) => String(id))}
      matching={matching}
      onClose={onClose}
    >
      {(preset) => (
        <TaskForm
          resource={TASKS[action].resource}
          task={{ rpc: 'run_task', args: { task: action, name: label } }}
          preset={preset}
          okText={label}
          isDanger={TASKS[action].isDanger}
          onClose={onClose}
        >
          <p className="l-first">{t(`tasks.${action}.text`)}</p>
        </TaskForm>
      )}
    </TaskModal>
  )
}
