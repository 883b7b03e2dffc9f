import { type BaseRecord, type HttpError, useList } from '@refinedev/core'
import { useLiveChanges } from '@/refine/use-live-changes'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'

interface Alert extends BaseRecord {
  id: string
  message: string
  device: { name: string } | null
}

/** The newest open alerts of the company in view, read again when an alert changes. */
export function OpenAlertsPage() {
  const errorText = useErrorText()
  const { companyId } = useCompanyScope()
  const { query, result } = useList<Alert, HttpError>({
    resource: 'alerts',
    filters: [{ field: 'status', operator: 'in', value: ['open', 'acknowledged'] }],
    sorters: [
      { field: 'opened_at', order: 'desc' },
      { field: 'id', order: 'desc' },
    ],
    pagination: { mode: 'off' },
    meta: { companyId, select: 'id,message,device:devices(name)', limit: 20, count: 'none' },
    errorNotification: false,
  })
  useLiveChanges({ table: 'alerts', companyId }, ({ readUntil }) => {
    // A message with `readUntil` concerns only data that was read before that moment.
    if (readUntil === undefined || query.dataUpdatedAt <= readUntil) void query.refetch()
  })
  if (query.error) return <ErrorState text={errorText(query.error)} onRetry={() => void query.refetch()} />
  if (query.isPending) return <LoadingState />
  if (result.data.length === 0) return <EmptyState title="No open alerts" />
  return (
    <ul>
      {result.data.map(({ id, message, device }) => (
        <li key={id}>{`${device?.name}: ${message}`}</li>
      ))}
    </ul>
  )
}
