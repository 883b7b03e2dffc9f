import { useOne } from '@refinedev/core'
import { Alert, Button, Modal } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TableRow } from '@/data/database'
import { DataError, GoneError } from '@/data/errors'
import { useCache } from '@/refine/use-cache'
import { type CallRpc, useRpcCall } from '@/refine/use-rpc'
import type { DialogProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { RelativeTime } from '@/ui/relative-time'
import { StatusTag } from '@/ui/status-tag'
import css from './agents.module.css'

type Named = Pick<TableRow<'companies'>, 'name'> | null

type RequestRow = Pick<
  TableRow<'enrollment_requests'>,
  'id' | 'status' | 'device_id' | 'hostname' | 'platform' | 'agent_version' | 'ip_address' | 'created_at'
> & {
  token: Named
  group: Named
  company: Named
  device:
    | (Pick<TableRow<'devices'>, 'name' | 'hostname' | 'platform' | 'agent_version' | 'ip_address'> & {
        token: Named
      })
    | null
}

const REQUEST =
  'id,status,device_id,hostname,platform,agent_version,ip_address,created_at,' +
  'token:enrollment_tokens(name),group:groups(name),company:companies(name),' +
  'device:devices(name,hostname,platform,agent_version,ip_address,token:enrollment_tokens(name))'

/** The queries that a decision affects behind the dialog. */
const DECIDED = ['enrollment_requests', 'enrollment_tokens', 'devices', 'groups', 'group_devices']

const approve = (call: CallRpc, { id, device_id }: RequestRow) =>
  call('approve_enrollment', { id, device_id })
const reject = (call: CallRpc, { id }: RequestRow) => call('reject_enrollments', { ids: [id] })

/** The request, or null when it is gone, with the last check-in of the device it would replace. */
function useRequest(id: string) {
  const { query } = useOne<RequestRow>({
    resource: 'enrollment_requests',
    id,
    meta: { select: REQUEST },
    queryOptions: { gcTime: 0 },
  })
  const deviceId = query.data?.data.device_id
  const { query: presence } = useOne<Pick<TableRow<'device_presence'>, 'last_seen_at'>>({
    resource: 'device_presence',
    id: deviceId ?? '',
    meta: { select: 'last_seen_at', idColumnName: 'device_id' },
    queryOptions: { enabled: Boolean(deviceId), gcTime: 0 },
  })
  const refetch = () => Promise.all([query.refetch(), deviceId ? presence.refetch() : null])
  const failed = [query, presence].find(({ error }) => error && !(error instanceof GoneError))
  const isPending = query.isPending || presence.isLoading
  return {
    request: query.error instanceof GoneError ? undefined : query.data?.data,
    lastSeen: presence.data?.data.last_seen_at ?? null,
    /** Null once both are read, or the request is gone. */
    reading: isPending || failed ? { data: undefined, error: failed?.error, refetch } : null,
    refetch,
  }
}

const NONE = '–'
/** Proper names, the same in every language. */
const SYSTEMS: Record<string, string> = { linux: 'Linux', windows: 'Windows', macos: 'macOS' }

/** Compares what a machine reports about itself with the device it asks to replace. */
export function ApproveDialog({ records, onClose }: DialogProps) {
  const { t } = useTranslation('agents')
  const errorText = useErrorText()
  const cache = useCache()
  const call = useRpcCall()
  const id = String(records[0]?.id)
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState<'approve' | 'reject' | null>(null)
  const { request, lastSeen, reading, refetch } = useRequest(id)

  const decide = async (kind: 'approve' | 'reject', write: typeof approve) => {
    if (!request) return
    setBusy(kind)
    setFailure(null)
    try {
      const outcome = await write(call, request)
      for (const resource of DECIDED) void cache.invalidate(resource)
      if (outcome !== 0) return onClose()
      setFailure(t('approve.changed'))
    } catch (error) {
      const isStale = error instanceof DataError && ['PT409', 'PT404'].includes(error.code)
      setFailure(
        isStale
          ? t('approve.changed')
          : errorText(error, t(kind === 'approve' ? 'approve.failed' : 'approve.rejectFailed')),
      )
      if (isStale) void refetch()
    }
    setBusy(null)
  }

  const isOpen = request?.status === 'pending'
  return (
    <Modal
      open
      width={640}
      title={t('approve.title', { name: String(request?.hostname ?? records[0]?.hostname ?? '') })}
      onCancel={onClose}
      footer={[
        <Button key="cancel" onClick={onClose}>
          {t('approve.cancel')}
        </Button>,
        <Button
          key="reject"
          danger
          disabled={!isOpen || busy !== null}
          loading={busy === 'reject'}
          onClick={() => void decide('reject', reject)}
        >
          {t('approve.reject')}
        </Button>,
        <Button
          key="approve"
          type="primary"
          disabled={!isOpen || busy !== null}
          loading={busy === 'approve'}
          onClick={() => void decide('approve', approve)}
        >
          {request?.device ? t('approve.submitKnown') : t('approve.submit')}
        </Button>,
      ]}
    >
      {reading ? (
        <QueryState query={reading} rows={5} />
      ) : request && isOpen ? (
        <Comparison request={request} lastSeen={lastSeen} />
      ) : (
        <Alert type="info" showIcon title={t('approve.decided')} />
      )}
      {failure === null ? null : <Alert type="error" showIcon title={failure} className="l-below-12" />}
    </Modal>
  )
}

function Comparison({ request, lastSeen }: { request: RequestRow; lastSeen: string | null }) {
  const { t } = useTranslation('agents')
  const { device } = request
  const row = (label: string, asking: string | null, known?: string | null) => (
    <Line
      label={label}
      asking={
        <>
          {asking ?? NONE}{' '}
          {device && known !== undefined && known !== asking ? (
            <StatusTag tone="warning">{t('approve.differs')}</StatusTag>
          ) : null}
        </>
      }
      known={device ? (known ?? NONE) : undefined}
    />
  )
  return (
    <div className={css.page}>
      {device ? (
        <Alert
          type="warning"
          showIcon
          title={t('approve.knownTitle', { name: device.name })}
          description={t('approve.knownText', { name: device.name })}
        />
      ) : (
        <Alert type="info" showIcon title={t('approve.newText', { company: request.company?.name ?? '' })} />
      )}
      <table className={css.compare}>
        <thead>
          <tr>
            <th scope="col">{t('approve.field')}</th>
            {device ? <th scope="col">{t('approve.known')}</th> : null}
            <th scope="col">{t('approve.asking')}</th>
          </tr>
        </thead>
        <tbody>
          {row(t('approve.hostname'), request.hostname, device?.hostname)}
          {row(
            t('approve.platform'),
            SYSTEMS[request.platform] ?? null,
            device ? SYSTEMS[device.platform ?? ''] : undefined,
          )}
          {row(t('approve.version'), request.agent_version, device?.agent_version)}
          {/* The addresses are not compared: the machine knows its own in its network, the console sees another. */}
          <Line
            label={t('approve.address')}
            asking={request.ip_address ?? NONE}
            known={device ? (device.ip_address ?? NONE) : undefined}
          />
          {device ? (
            <Line
              label={t('approve.lastSeen')}
              asking={NONE}
              known={lastSeen ? <RelativeTime value={lastSeen} /> : NONE}
            />
          ) : null}
          <Line
            label={t('approve.asked')}
            asking={<RelativeTime value={request.created_at} />}
            known={device ? NONE : undefined}
          />
          <Line
            label={t('approve.token')}
            asking={request.token?.name ?? NONE}
            known={device ? (device.token?.name ?? NONE) : undefined}
          />
          <Line
            label={t('approve.group')}
            asking={request.group?.name ?? t('approve.none')}
            known={device ? NONE : undefined}
          />
        </tbody>
      </table>
    </div>
  )
}

function Line({ label, asking, known }: { label: string; asking: ReactNode; known?: ReactNode }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      {known === undefined ? null : <td>{known}</td>}
      <td>{asking}</td>
    </tr>
  )
}
