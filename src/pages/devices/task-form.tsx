import { Alert, Button, Form } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { JobProgress } from '@/pages/jobs/job-progress'
import { TargetSummary } from '@/pages/procedures/target-summary'
import { oneCompany, splitTargets, type Target } from '@/pages/procedures/targets'
import { TypedConfirm } from '@/pages/procedures/typed-confirm'
import { useRpcCall } from '@/refine/use-rpc'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { TargetPicker, useTargetPicker } from './target-picker'

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
  preset: readonly Target[]
  /** The only company whose devices may be chosen; null for the company in view. */
  companyId?: string | null
  /** Whether the task can be done on a device; the others are listed as left out. */
  fits?: (target: Target) => boolean
  okText: string
  isDanger?: boolean
  onClose: () => void
  /** What is chosen besides devices. */
  children?: ReactNode
}

/** Devices for a task, its start, and its progress. */
export function TaskForm(props: TaskFormProps) {
  const { resource, task, preset, companyId = null, fits, okText, isDanger = false, onClose } = props
  const { t } = useTranslation(['devices', 'procedures', 'jobs'])
  const { companyId: scope } = useCompanyScope()
  const errorText = useErrorText()
  const call = useRpcCall()
  const [form] = Form.useForm()
  const picker = useTargetPicker(companyId ?? scope, preset)
  const [isStarting, setStarting] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const [started, setStarted] = useState<{ jobId: string; companyId: string; task: TaskCall } | null>(null)
  const company = companyId ?? oneCompany(picker.targets)
  const selection = splitTargets(
    picker.targets,
    company ? { type: 'Agent', company_id: company } : null,
    fits,
  )
  const { runnable } = selection
  const isMixed = picker.targets.length > 0 && company === null

  const start = async (asked: TaskCall, deviceIds: string[], on: string) => {
    setStarting(true)
    setFailure(null)
    try {
      const jobId = await call<string>(asked.rpc, { ...asked.args, device_ids: deviceIds })
      setStarted({ jobId, companyId: on, task: asked })
    } catch (error) {
      setFailure(error)
    } finally {
      setStarting(false)
    }
  }
  if (started)
    return (
      <JobProgress
        key={started.jobId}
        jobId={started.jobId}
        companyId={started.companyId}
        onClose={onClose}
        onRunAgain={(ids) => void start(started.task, ids, started.companyId)}
      />
    )
  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark="optional"
      disabled={isStarting}
      onFinish={() => {
        if (task && company && runnable.length > 0)
          void start(
            task,
            runnable.map(({ id }) => id),
            company,
          )
      }}
    >
      {props.children}
      <Form.Item label={t('target.devices')} required htmlFor="task-devices">
        <TargetPicker id="task-devices" picker={picker} />
      </Form.Item>
      {isMixed ? (
        <Alert type="error" showIcon title={t('task.mixed')} style={{ marginBlockEnd: 16 }} />
      ) : null}
      <TargetSummary selection={selection} scriptType={undefined} />
      <TypedConfirm count={runnable.length} />
      {failure === null ? null : (
        <Alert
          type="error"
          showIcon
          title={t('task.failed')}
          description={errorText(failure)}
          style={{ marginBlockEnd: 16 }}
        />
      )}
      <div style={{ display: 'flex', gap: 8, justifyContent: 'flex-end', flexWrap: 'wrap' }}>
        <Button onClick={onClose}>{t('procedures:run.cancel')}</Button>
        <GuardedButton
          resource={resource}
          action="run"
          type="primary"
          danger={isDanger}
          htmlType="submit"
          loading={isStarting}
          disabled={task === null || runnable.length === 0 || isMixed}
        >
          {runnable.length > 0 ? t('task.on', { action: okText, count: runnable.length }) : okText}
        </GuardedButton>
      </div>
    </Form>
  )
}
