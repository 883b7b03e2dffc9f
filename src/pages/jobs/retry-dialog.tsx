import { useNotification, useOne } from '@refinedev/core'
import { Alert, Button, Checkbox, Form, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useCache } from '@/refine/use-cache'
import { useRpc, useRpcCall } from '@/refine/use-rpc'
import type { DialogProps } from '@/resource/engine-context'
import { showPath } from '@/resource/language/naming'
import { usePhrase } from '@/resource/language/phrases'
import { findDefinition } from '@/resource/language/registry'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { RunProcedureDialog } from '@/runs/start/run-procedure-dialog'
import { TypedConfirm } from '@/runs/start/typed-confirm'
import { TargetSummary } from '@/runs/targets/target-summary'
import { useSingleCall } from '@/ui/use-single-call'
import { MAX_FORM_DEVICES, RETRY_GROUPS, type RetryPreview, selectRetry } from './retry'

interface RetriedJob {
  id: string
  company_id: string
  name: string
  procedure_id: string | null
  parameters: Record<string, unknown>
}

/** Where a task would run again, by how it ended there, and its start. */
export function RetryDialog({ records, onClose }: DialogProps) {
  // Loads the texts of its later step at once: loading them then would suspend the dialog and lose the focus.
  const { t } = useTranslation(['jobs', 'procedures', 'devices', 'access'])
  const phrase = usePhrase()
  const navigate = useNavigate()
  const cache = useCache()
  const id = String(records[0]?.id)
  const { query: job } = useOne<RetriedJob>({
    resource: 'jobs',
    id,
    meta: { select: 'id,company_id,name,procedure_id,parameters' },
    queryOptions: { gcTime: 0 },
  })
  const preview = useRpc<RetryPreview>(
    { name: 'preview_retry', args: { job_id: id } },
    // Keeps the numbers that the user confirmed.
    { staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false },
  )
  const [formDevices, setFormDevices] = useState<string[] | null>(null)

  const openTask = (taskId: string) => {
    const tasks = findDefinition('jobs')
    void cache.invalidate('jobs')
    onClose()
    if (tasks) navigate(showPath(tasks, taskId))
  }
  const row = job.data?.data
  if (formDevices && row?.procedure_id)
    return (
      <RunProcedureDialog
        records={formDevices.map((deviceId) => ({ id: deviceId }))}
        resource="devices"
        procedureId={row.procedure_id}
        earlier={row.parameters}
        onStarted={openTask}
        onClose={onClose}
      />
    )
  return (
    <Modal
      open
      title={row ? t('again.title', { name: phrase(row.name) }) : t('again.titleLoading')}
      onCancel={onClose}
      footer={null}
      width={560}
    >
      {row && preview.data ? (
        <RetryForm
          jobId={id}
          preview={preview.data}
          onStarted={openTask}
          onFillForm={setFormDevices}
          onClose={onClose}
        />
      ) : (
        <QueryState query={[job, preview]} rows={3} />
      )}
    </Modal>
  )
}

interface RetryFormProps {
  jobId: string
  preview: RetryPreview
  onStarted: (jobId: string) => void
  /** In place of a start: the devices for the form of the script. */
  onFillForm: (deviceIds: string[]) => void
  onClose: () => void
}

type RetryGroup = (typeof RETRY_GROUPS)[number]

function RetryForm({ jobId, preview, onStarted, onFillForm, onClose }: RetryFormProps) {
  const { t } = useTranslation('jobs')
  const language = useLanguage()
  const errorText = useErrorText()
  const { open } = useNotification()
  const call = useRpcCall()
  const [form] = Form.useForm()
  const [groups, setGroups] = useState<RetryGroup[]>(preview.failed.devices > 0 ? ['failed'] : ['canceled'])
  const [isStarting, setStarting] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const { selection, ids } = selectRetry(preview, groups)
  const isEmpty = preview.failed.devices + preview.canceled.devices === 0

  const start = useSingleCall(async () => {
    if (preview.takes_secret) return onFillForm(ids)
    setStarting(true)
    setFailure(null)
    try {
      const started = await call<string>('retry_job', {
        job_id: jobId,
        failed: groups.includes('failed'),
        canceled: groups.includes('canceled'),
      })
      open?.({ type: 'success', message: t('again.started', { count: selection.count }) })
      onStarted(started)
    } catch (error) {
      setFailure(error)
      setStarting(false)
    }
  })

  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark={false}
      disabled={isStarting}
      onFinish={() => void start()}
    >
      {isEmpty ? (
        <p>{t('again.none')}</p>
      ) : (
        <>
          {preview.takes_secret ? null : <p className="l-first">{t('again.text')}</p>}
          <Form.Item label={t('again.where')}>
            <Checkbox.Group
              className="l-stack-4"
              value={groups}
              onChange={setGroups}
              options={RETRY_GROUPS.map((value) => ({
                value,
                disabled: preview[value].devices === 0,
                label: t(`again.${value}Group`, { count: preview[value].devices }),
              }))}
            />
          </Form.Item>
          <TargetSummary selection={selection} />
          {preview.left_out > 0 ? (
            <p className="l-soft">{t('again.leftOut', { count: preview.left_out })}</p>
          ) : null}
        </>
      )}
      {preview.takes_secret && !isEmpty ? (
        <Alert
          type="info"
          showIcon
          title={t('again.secret')}
          description={
            ids.length < selection.count
              ? t('again.formLimit', { max: formatNumber(MAX_FORM_DEVICES, language) })
              : undefined
          }
          className="l-above"
        />
      ) : (
        <TypedConfirm count={selection.count} />
      )}
      {failure === null ? null : (
        <Alert
          type="error"
          showIcon
          title={t('again.notStarted')}
          description={errorText(failure)}
          className="l-above"
        />
      )}
      <div className="l-buttons-end">
        <Button onClick={onClose}>{isEmpty ? t('progress.close') : t('again.cancel')}</Button>
        {isEmpty ? null : (
          <Button type="primary" htmlType="submit" loading={isStarting} disabled={selection.count === 0}>
            {preview.takes_secret ? t('again.fillForm') : t('again.start', { count: selection.count })}
          </Button>
        )}
      </div>
    </Form>
  )
}
