import { useList, useNotification } from '@refinedev/core'
import { Alert, Button, Form, Input, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TableRow } from '@/data/database'
import { useCache } from '@/refine/use-cache'
import { useRpc, useRpcCall } from '@/refine/use-rpc'
import type { DialogProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { useSession } from '@/session/use-session'
import { VersionDiff } from './version-diff'
import css from './versions.module.css'

type Version = Pick<
  TableRow<'procedure_versions'>,
  | 'id'
  | 'company_id'
  | 'number'
  | 'created_at'
  | 'created_by'
  | 'approved_at'
  | 'declined_at'
  | 'declined_name'
  | 'decline_reason'
>

const VERSION =
  'id,company_id,number,created_at,created_by,approved_at,declined_at,declined_name,decline_reason'
const MAX_REASON = 500

/** Shows what the newest version changes against the last one that was approved, and approves or declines it. */
export function ApproveScriptDialog({ records, onClose }: DialogProps) {
  const { t } = useTranslation('procedures')
  const errorText = useErrorText()
  const { user } = useSession()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const [form] = Form.useForm<{ reason: string }>()
  const [isDeclining, setDeclining] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const record = records[0]
  const { query } = useList<Version>({
    resource: 'procedure_versions',
    filters: [{ field: 'procedure_id', operator: 'eq', value: String(record?.id ?? '') }],
    sorters: [{ field: 'number', order: 'desc' }],
    pagination: { mode: 'off' },
    meta: { select: VERSION, limit: 200, count: 'none' },
  })
  const versions = query.data?.data ?? []
  const [newest] = versions
  const approved = versions.find(({ approved_at }) => approved_at !== null)
  const isOwn = newest !== undefined && newest.created_by !== null && newest.created_by === user?.id
  // The database alone knows which accounts are connected. It refuses the decision too.
  const { data: conflict } = useRpc<string | null>(
    {
      name: 'approval_conflict',
      args: { version_id: newest?.id },
      resource: 'procedure_versions',
      companyId: newest?.company_id,
    },
    { enabled: newest !== undefined && !isOwn },
  )
  const isConnected = conflict === 'approver_of_author'
  const isPart = conflict === 'own_version'
  const isDeclined = newest !== undefined && newest.declined_at !== null
  const number = newest?.number ?? ''

  const decide = async (name: string, args: Record<string, unknown>, done: string, failed: string) => {
    if (!newest) return
    setBusy(true)
    try {
      await call(name, { version_id: newest.id, ...args })
      open?.({ type: 'success', message: done })
      onClose()
    } catch (error) {
      open?.({ type: 'error', message: failed, description: errorText(error) })
      void query.refetch()
    } finally {
      setBusy(false)
      void cache.invalidate('procedures')
      void cache.invalidate('procedure_versions')
    }
  }
  const approve = () => decide('approve_procedure', {}, t('approve.done', { number }), t('approve.failed'))
  const decline = ({ reason }: { reason: string }) =>
    decide('decline_procedure', { reason }, t('approve.declinedDone', { number }), t('approve.declineFailed'))

  const isBlocked = newest === undefined || isOwn || Boolean(conflict)
  const footer = isDeclining ? (
    <>
      <Button disabled={isBusy} onClick={() => setDeclining(false)}>
        {t('approve.back')}
      </Button>
      <Button danger type="primary" loading={isBusy} onClick={form.submit}>
        {t('approve.declineOk', { number })}
      </Button>
    </>
  ) : (
    <>
      <Button onClick={onClose}>{t('approve.cancel')}</Button>
      {isDeclined ? null : (
        <Button danger disabled={isBlocked || isBusy} onClick={() => setDeclining(true)}>
          {t('approve.decline')}
        </Button>
      )}
      <Button type="primary" disabled={isBlocked} loading={isBusy} onClick={() => void approve()}>
        {t('approve.ok', { number })}
      </Button>
    </>
  )
  return (
    <Modal
      open
      title={t(isDeclining ? 'approve.declineTitle' : 'approve.title', { name: record?.name })}
      footer={footer}
      onCancel={onClose}
      width={860}
    >
      {newest ? (
        <div className="l-stack-12">
          <p className="l-flush">{t(isDeclining ? 'approve.reasonHelp' : 'approve.text')}</p>
          {isOwn ? <Alert type="warning" showIcon title={t('approve.own')} /> : null}
          {isPart ? <Alert type="warning" showIcon title={t('approve.ownPart')} /> : null}
          {isConnected ? <Alert type="warning" showIcon title={t('approve.connected')} /> : null}
          {isDeclined ? (
            <Alert
              type="error"
              showIcon
              title={t('approve.declinedBy', { name: newest.declined_name, reason: newest.decline_reason })}
            />
          ) : null}
          <div className={css.reviewed} data-declining={isDeclining || undefined}>
            <VersionDiff companyId={newest.company_id} from={approved} to={newest} />
          </div>
          {isDeclining ? (
            <Form form={form} layout="vertical" disabled={isBusy} onFinish={(values) => void decline(values)}>
              <Form.Item
                name="reason"
                label={t('approve.reason')}
                rules={[{ required: true, whitespace: true, message: t('approve.reasonMissing') }]}
              >
                <Input.TextArea autoFocus rows={3} maxLength={MAX_REASON} showCount />
              </Form.Item>
            </Form>
          ) : null}
        </div>
      ) : (
        <QueryState query={query} rows={6} />
      )}
    </Modal>
  )
}
