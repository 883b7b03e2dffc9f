import { Alert, Button, Form } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { useRpcCall } from '@/refine/use-rpc'
import { useErrorText } from '@/resource/use-error-text'
import { JobProgress } from '@/runs/progress/job-progress'
import type { TargetPreset } from '@/runs/targets/target-data'
import { type TargetCall, TargetPicker, TargetProblem, useTargetPicker } from '@/runs/targets/target-picker'
import { TargetSummary } from '@/runs/targets/target-summary'
import type { Target } from '@/runs/targets/targets'
import { useCompanyScope } from '@/session/use-company-scope'
import { useSingleCall } from '@/ui/use-single-call'
import { capOf, JobCap } from './job-cap'
import { TypedConfirm } from './typed-confirm'

/** A function that makes a job; the devices come from the form. */
export interface TaskCall {
  rpc: string
  args: Record<string, unknown>
}

interface TaskFormProps {
  /** The permission that starting needs: its object; the verb is `run`. */
  resource: string
  /** Null while something is missing, such as the choice of an app. */
  task: TaskCall | null
  preset: TargetPreset
  /** The only company whose devices may be chosen; null for the company in view. */
  companyId?: string | null
  /** Whether the task can be done on a device; the others are listed as left out. */
  fits?: (target: Pick<Target, 'platform'>) => boolean
  /** Whether it may be done on so many devices at once; not where each does little. */
  hasCap?: boolean
  okText: string
  isDanger?: boolean
  onClose: () => void
  /** Fields for choices other than devices. */
  children?: ReactNode
}

/** Devices for a task, its start, and its progress. */
export function TaskForm(props: TaskFormProps) {
  const {
    resource,
    task,
    preset,
    companyId = null,
    fits,
    okText,
    isDanger = false,
    hasCap = true,
    onClose,
  } = props
  const { t } = useTranslation(['devices', 'procedures', 'jobs'])
  const { companyId: scope } = useCompanyScope()
  const errorText = useErrorText()
  const call = useRpcCall()
  const [form] = Form.useForm()
  const picker = useTargetPicker(companyId ?? scope, preset)
  const [isStarting, setStarting] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const [started, setStarted] = useState<{ jobId: string; companyId: string; task: TaskCall } | null>(null)
  const chosen = picker.choose({ type: 'Agent', ...(companyId ? { company_id: companyId } : {}) }, fits)
  const count = chosen.selection?.count ?? 0

  const start = useSingleCall(async ({ name, args }: TargetCall, asked: TaskCall, on: string) => {
    setStarting(true)
    setFailure(null)
    try {
      setStarted({ jobId: await call<string>(name, args), companyId: on, task: asked })
    } catch (error) {
      setFailure(error)
    } finally {
      setStarting(false)
    }
  })
  if (started)
    return (
      <JobProgress
        key={started.jobId}
        jobId={started.jobId}
        companyId={started.companyId}
        onClose={onClose}
        onRunAgain={(ids) => {
          const { rpc, args } = started.task
          void start({ name: rpc, args: { ...args, device_ids: ids } }, started.task, started.companyId)
        }}
      />
    )
  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark="optional"
      disabled={isStarting}
      onFinish={(values: { max_running?: number | null }) => {
        const on = companyId ?? chosen.company
        if (!task || !on || !chosen.isReady) return
        const args = { ...task.args, ...capOf(values.max_running) }
        void start(chosen.callOf(task.rpc, args), { rpc: task.rpc, args }, on)
      }}
    >
      {props.children}
      <Form.Item label={t('target.devices')} required htmlFor="task-devices">
        <TargetPicker id="task-devices" picker={picker} companyId={companyId} />
      </Form.Item>
      <TargetProblem chosen={chosen} mixed={t('task.mixed')} />
      {chosen.selection ? <TargetSummary selection={chosen.selection} /> : null}
      {hasCap ? <JobCap count={count} /> : null}
      <TypedConfirm count={count} />
      {failure === null ? null : (
        <Alert
          type="error"
          showIcon
          title={t('task.failed')}
          description={errorText(failure)}
          className="l-above"
        />
      )}
      <div className="l-buttons-end">
        <Button onClick={onClose}>{t('procedures:run.cancel')}</Button>
        <GuardedButton
          resource={resource}
          action="run"
          type="primary"
          danger={isDanger}
          htmlType="submit"
          loading={isStarting}
          disabled={task === null || !chosen.isReady}
        >
          {count > 0 ? t('task.on', { action: okText, count }) : okText}
        </GuardedButton>
      </div>
    </Form>
  )
}
