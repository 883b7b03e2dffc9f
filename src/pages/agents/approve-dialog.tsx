import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Alert, Button, Modal } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DataError } from '@/data/errors'
import type { DialogProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { RelativeTime } from '@/ui/relative-time'
import { StatusTag } from '@/ui/status-tag'
import { approveRequest, type EnrollmentRequest, readRequest, rejectRequest } from './agent-data'
import css from './agents.module.css'

const NONE = '–'
/** Proper names, the same in every language. */
const SYSTEMS: Record<string, string> = { linux: 'Linux', windows: 'Windows', macos: 'macOS' }

/** Shows what a machine that asks to join says of itself, beside the device whose place it asks for. */
export function ApproveDialog({ records, onClose }: DialogProps) {
  const { t } = useTranslation('agents')
  const errorText = useErrorText()
  const client = useQueryClient()
  const { companyId } = useCompanyScope()
  const id = String(records[0]?.id)
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState<'approve' | 'reject' | null>(null)
  const queryKey = [companyId ?? 'all', 'enrollment_requests', 'decision', id]
  const query = useQuery({ queryKey, queryFn: () => readRequest(id), gcTime: 0 })
  const request = query.data

  const decide = async (kind: 'approve' | 'reject', write: (open: EnrollmentRequest) => Promise<unknown>) => {
    if (!request) return
    setBusy(kind)
    setFailure(null)
    try {
      const outcome = await write(request)
      // Devices, requests, their counts and groups: what the company has on screen.
      void client.invalidateQueries({ queryKey: [companyId ?? 'all'] })
      if (outcome !== 0) return onClose()
      setFailure(t('approve.changed'))
    } catch (error) {
      const isStale = error instanceof DataError && ['PT409', 'PT404'].includes(error.code)
      setFailure(
        isStale
          ? t('approve.changed')
          : errorText(error, t(kind === 'approve' ? 'approve.failed' : 'approve.rejectFailed')),
      )
      if (isStale) void query.refetch()
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
          onClick={() => void decide('reject', rejectRequest)}
        >
          {t('approve.reject')}
        </Button>,
        <Button
          key="approve"
          type="primary"
          disabled={!isOpen || busy !== null}
          loading={busy === 'approve'}
          onClick={() => void decide('approve', approveRequest)}
        >
          {request?.device ? t('approve.submitKnown') : t('approve.submit')}
        </Button>,
      ]}
    >
      {query.isPending ? (
        <LoadingState rows={5} />
      ) : query.isError ? (
        <ErrorState text={errorText(query.error)} onRetry={() => query.refetch()} />
      ) : request && isOpen ? (
        <Comparison request={request} />
      ) : (
        <Alert type="info" showIcon title={t('approve.decided')} />
      )}
      {failure === null ? null : (
        <Alert type="error" showIcon title={failure} style={{ marginBlockStart: 12 }} />
      )}
    </Modal>
  )
}

function Comparison({ request }: { request: EnrollmentRequest }) {
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
          {/* One is what the machine calls itself in its network, the other what the console sees. */}
          <Line
            label={t('approve.address')}
            asking={request.ip_address ?? NONE}
            known={device ? (device.ip_address ?? NONE) : undefined}
          />
          {device ? (
            <Line
              label={t('approve.lastSeen')}
              asking={NONE}
              known={request.lastSeen ? <RelativeTime value={request.lastSeen} /> : NONE}
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
