import { useList, useNotification } from '@refinedev/core'
import { Alert, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TableRow } from '@/data/database'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import type { DialogProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { useSession } from '@/session/use-session'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { VersionDiff } from './version-diff'

type Version = Pick<
  TableRow<'procedure_versions'>,
  'id' | 'company_id' | 'number' | 'created_at' | 'created_by' | 'approved_at'
>

/** Shows what the newest version changes against the last one that was approved, and approves it. */
export function ApproveScriptDialog({ records, onClose }: DialogProps) {
  const { t } = useTranslation('procedures')
  const errorText = useErrorText()
  const { user } = useSession()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const [isBusy, setBusy] = useState(false)
  const record = records[0]
  const { query } = useList<Version>({
    resource: 'procedure_versions',
    filters: [{ field: 'procedure_id', operator: 'eq', value: String(record?.id ?? '') }],
    sorters: [{ field: 'number', order: 'desc' }],
    pagination: { mode: 'off' },
    meta: { select: 'id,company_id,number,created_at,created_by,approved_at', limit: 200, count: 'none' },
    errorNotification: false,
  })
  const versions = query.data?.data ?? []
  const [newest] = versions
  const approved = versions.find(({ approved_at }) => approved_at !== null)
  const isOwn = newest !== undefined && newest.created_by !== null && newest.created_by === user?.id
  const number = newest?.number ?? ''

  const approve = async () => {
    if (!newest) return
    setBusy(true)
    try {
      await call('approve_procedure', { version_id: newest.id })
      open?.({ type: 'success', message: t('approve.done', { number }) })
      onClose()
    } catch (error) {
      open?.({ type: 'error', message: t('approve.failed'), description: errorText(error) })
      void query.refetch()
    } finally {
      setBusy(false)
      void cache.invalidate('procedures')
      void cache.invalidate('procedure_versions')
    }
  }
  return (
    <Modal
      open
      title={t('approve.title', { name: record?.name })}
      okText={t('approve.ok', { number })}
      cancelText={t('approve.cancel')}
      okButtonProps={{ disabled: newest === undefined || isOwn }}
      confirmLoading={isBusy}
      onOk={() => void approve()}
      onCancel={onClose}
      width={860}
    >
      {newest ? (
        <div style={{ display: 'grid', gap: 12 }}>
          <p style={{ margin: 0 }}>{t('approve.text')}</p>
          {isOwn ? <Alert type="warning" showIcon title={t('approve.own')} /> : null}
          <div style={{ maxHeight: '55vh', overflow: 'auto' }}>
            <VersionDiff companyId={newest.company_id} from={approved} to={newest} />
          </div>
        </div>
      ) : query.isError ? (
        <ErrorState text={errorText(query.error)} onRetry={() => void query.refetch()} />
      ) : (
        <LoadingState rows={6} />
      )}
    </Modal>
  )
}
