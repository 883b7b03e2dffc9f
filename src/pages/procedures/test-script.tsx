import { Alert, Button, Form } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRpcCall } from '@/refine/use-rpc'
import { useErrorText } from '@/resource/use-error-text'
import { JobProgress } from '@/runs/progress/job-progress'
import { ParameterFields } from '@/runs/start/parameter-fields'
import { initialValues, toParameters, toValues } from '@/runs/start/parameters'
import { RecordSelect } from '@/runs/targets/record-select'
import { TARGET } from '@/runs/targets/target-data'
import { TargetSummary } from '@/runs/targets/target-summary'
import { splitTargets, type Target } from '@/runs/targets/targets'
import { useCompanyScope } from '@/session/use-company-scope'
import { useSingleCall } from '@/ui/use-single-call'

/** The script's form values that are not saved yet. */
export interface UnsavedScript {
  name?: string | null
  type?: string
  script: string
  parameters?: unknown
  timeout_seconds?: number
  platforms?: string[] | null
}

interface TestScriptProps {
  script: UnsavedScript
  onClose: () => void
}

/** Runs a script that is not saved on one device and streams its output. */
export function TestScript({ script, onClose }: TestScriptProps) {
  const { t } = useTranslation(['procedures', 'devices'])
  const errorText = useErrorText()
  const { companyId } = useCompanyScope()
  const call = useRpcCall()
  const [form] = Form.useForm<{ parameters?: Record<string, unknown> }>()
  const [device, setDevice] = useState<Target | null>(null)
  const [jobId, setJobId] = useState<string | null>(null)
  const [isStarting, setStarting] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const parameters = toParameters(script.parameters)
  const asked = { type: script.type ?? '', platforms: script.platforms ?? null }
  const selection = splitTargets(
    device ? [device] : [],
    device ? { ...asked, company_id: device.company_id } : null,
  )

  const start = useSingleCall(async (values: { parameters?: Record<string, unknown> }) => {
    if (!device) return
    setStarting(true)
    setFailure(null)
    try {
      const job = await call<string>('test_script', {
        device_id: device.id,
        type: script.type,
        script: script.script,
        timeout_seconds: script.timeout_seconds ?? 300,
        definitions: Array.isArray(script.parameters) ? script.parameters : [],
        parameters: toValues(parameters, values.parameters ?? {}),
        name: t('test.job', { name: script.name?.trim() || t('test.unnamed') }),
      })
      setJobId(job)
    } catch (error) {
      setFailure(error)
    } finally {
      setStarting(false)
    }
  })
  if (jobId && device)
    return (
      <div className="l-stack-12">
        <JobProgress jobId={jobId} companyId={device.company_id} onClose={onClose} />
        <Button onClick={() => setJobId(null)}>{t('test.again')}</Button>
      </div>
    )
  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark="optional"
      disabled={isStarting}
      initialValues={{ parameters: initialValues(parameters) }}
      onFinish={(values) => void start(values)}
    >
      <p className="l-first">{t('test.text')}</p>
      <Form.Item label={t('test.device')} required htmlFor="test-device">
        <RecordSelect<Target>
          id="test-device"
          resource="devices"
          select={TARGET}
          companyId={companyId}
          label={t('test.device')}
          placeholder={t('test.devicePlaceholder')}
          nothing={t('test.noDevice')}
          value={device}
          aside={({ status, os }) =>
            [os, status === 'offline' ? t('devices:status.offline') : null].filter(Boolean).join(' · ')
          }
          onChange={setDevice}
        />
      </Form.Item>
      <TargetSummary selection={selection} script={asked} />
      <ParameterFields parameters={parameters} />
      {failure === null ? null : (
        <Alert
          type="error"
          showIcon
          title={t('test.failed')}
          description={errorText(failure)}
          className="l-above"
        />
      )}
      <Button type="primary" htmlType="submit" loading={isStarting} disabled={selection.count === 0}>
        {t('test.start')}
      </Button>
    </Form>
  )
}
