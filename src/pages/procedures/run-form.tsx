import { Alert, Button, Form } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { DeviceSelect } from '@/pages/devices/device-select'
import { expiresAt, JobExpiry, type JobHours } from '@/pages/jobs/job-expiry'
import { useRpcCall } from '@/refine/use-rpc'
import { clearErrors } from '@/resource/form/clear-errors'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { ParameterFields } from './parameter-fields'
import { initialValues, toValues } from './parameters'
import type { ProcedureChoice } from './procedure-data'
import { ProcedureSelect } from './procedure-select'
import { TargetSummary } from './target-summary'
import { MAX_TARGETS, oneCompany, splitTargets, type Target } from './targets'
import { TypedConfirm } from './typed-confirm'

export type RunPreset = {
  procedure: ProcedureChoice | null
  targets: Target[]
  /** Values of an earlier run, without its secrets. */
  earlier?: Record<string, unknown>
}

export type StartedJob = { jobId: string; companyId: string; procedure: ProcedureChoice; targets: Target[] }

type Props = { preset: RunPreset; onStarted: (job: StartedJob) => void; onClose: () => void }

type FormValues = { parameters?: Record<string, unknown>; typed?: string; hours?: JobHours }

export function RunForm({ preset, onStarted, onClose }: Props) {
  const { t } = useTranslation('procedures')
  const language = useLanguage()
  const { companyId: scope } = useCompanyScope()
  const errorText = useErrorText()
  const call = useRpcCall()
  const [form] = Form.useForm<FormValues>()
  const [procedure, setProcedure] = useState(preset.procedure)
  const [targets, setTargets] = useState(preset.targets)
  const [failure, setFailure] = useState<unknown>(null)
  const [isStarting, setIsStarting] = useState(false)

  const targetCompany = oneCompany(targets)
  const selection = splitTargets(targets, procedure)
  const { runnable } = selection
  const isMixed = procedure === null && targets.length > 0 && targetCompany === null
  const isTooMany = runnable.length > MAX_TARGETS
  const isReady = procedure !== null && runnable.length > 0 && !isTooMany

  const start = async (values: FormValues) => {
    if (procedure === null || !isReady) return
    setIsStarting(true)
    setFailure(null)
    const expires = expiresAt(values.hours)
    try {
      const jobId = await call<string>('run_procedure', {
        procedure_id: procedure.id,
        device_ids: runnable.map((target) => target.id),
        parameters: toValues(procedure.parameters, values.parameters ?? {}),
        ...(expires ? { expires_at: expires } : {}),
      })
      onStarted({ jobId, companyId: procedure.company_id, procedure, targets: runnable })
    } catch (error) {
      setFailure(error)
      setIsStarting(false)
    }
  }

  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark="optional"
      disabled={isStarting}
      initialValues={{
        parameters: procedure ? initialValues(procedure.parameters, preset.earlier) : {},
      }}
      onValuesChange={(changed) => clearErrors(form, changed)}
      onFinish={start}
    >
      <Form.Item label={t('run.procedure')} required htmlFor="run-procedure" extra={procedure?.description}>
        <ProcedureSelect
          id="run-procedure"
          value={procedure}
          companyId={targetCompany ?? scope}
          onChange={(next) => {
            setProcedure(next)
            form.setFieldsValue({ parameters: initialValues(next.parameters) })
          }}
        />
      </Form.Item>
      <Form.Item label={t('run.devices')} required htmlFor="run-devices">
        <DeviceSelect
          id="run-devices"
          label={t('run.devices')}
          value={targets}
          companyId={procedure?.company_id ?? targetCompany ?? scope}
          onChange={setTargets}
        />
      </Form.Item>
      {isMixed ? <FormAlert text={t('run.mixed')} /> : null}
      {isTooMany ? <FormAlert text={t('run.tooMany', { max: formatNumber(MAX_TARGETS, language) })} /> : null}
      <TargetSummary selection={selection} scriptType={procedure?.type} />
      {procedure ? <ParameterFields parameters={procedure.parameters} /> : null}
      <JobExpiry />
      <TypedConfirm count={runnable.length} />
      {failure === null ? null : <FormAlert text={errorText(failure, t('run.failed'))} />}
      <div style={{ display: 'flex', gap: 8, justifyContent: 'flex-end', flexWrap: 'wrap' }}>
        <Button onClick={onClose}>{t('run.cancel')}</Button>
        <Button type="primary" htmlType="submit" loading={isStarting} disabled={!isReady}>
          {runnable.length > 0 ? t('run.startOn', { count: runnable.length }) : t('run.start')}
        </Button>
      </div>
    </Form>
  )
}

const FormAlert = ({ text }: { text: string }) => (
  <Alert type="error" showIcon title={text} style={{ marginBlockEnd: 16 }} />
)
