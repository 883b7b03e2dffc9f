import { useNotification } from '@refinedev/core'
import { Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { leftOutCount, useMatches } from './match-data'

interface RunAutomationDialogProps {
  records: readonly Row[]
  resource: string
  onClose: () => void
}

/** Starts an automation by hand, after saying on how many devices. */
export function RunAutomationDialog({ records, onClose }: RunAutomationDialogProps) {
  const { t } = useTranslation('automations')
  const errorText = useErrorText()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const [isBusy, setBusy] = useState(false)
  const id = String(records[0]?.id)
  const query = useMatches({
    automationId: id,
    companyId: String(records[0]?.company_id),
    isManual: true,
  })
  const count = query.data?.matches ?? 0
  const leftOut = query.data ? leftOutCount(query.data) : 0

  const run = async () => {
    setBusy(true)
    try {
      const started = await call<number>('run_automation', { automation_id: id })
      open?.({ type: 'success', message: t('run.started', { count: started }) })
      onClose()
    } catch (error) {
      open?.({ type: 'error', message: t('run.failed'), description: errorText(error) })
    } finally {
      setBusy(false)
      void cache.invalidate('automation_runs')
      void cache.invalidate('automations')
    }
  }

  return (
    <Modal
      open
      title={t('run.title', { name: records[0]?.name })}
      okText={count > 0 ? t('run.run', { count }) : t('run.runNone')}
      cancelText={t('run.cancel')}
      okButtonProps={{ disabled: count === 0 }}
      confirmLoading={isBusy}
      onOk={() => void run()}
      onCancel={onClose}
    >
      {query.data === undefined ? (
        <QueryState query={query} rows={2} />
      ) : (
        <>
          <p>{count > 0 ? t('run.text', { count }) : leftOut > 0 ? t('run.none') : t('run.noTargets')}</p>
          {leftOut > 0 ? (
            <p>
              {t('run.leftOut', { count: leftOut })}{' '}
              <Link to={`/automation/${id}/matches?show=left-out`} onClick={onClose}>
                {t('run.why')}
              </Link>
            </p>
          ) : null}
        </>
      )}
    </Modal>
  )
}
