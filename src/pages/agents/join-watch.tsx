import { useQuery } from '@tanstack/react-query'
import { Alert, Spin } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useLiveRefresh } from '@/pages/jobs/use-live-refresh'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { countPending, readJoined } from './agent-data'
import css from './agents.module.css'

export type WatchedToken = { id: string; name: string }

/** Waits for the devices that join with a token, and says when they are there. */
export function JoinWatch({ token, onClose }: { token: WatchedToken; onClose?: () => void }) {
  const { t } = useTranslation('agents')
  const errorText = useErrorText()
  const { companyId } = useCompanyScope()
  const queryKey = [companyId ?? 'all', 'devices', 'joined', token.id]
  const query = useQuery({
    queryKey,
    queryFn: async () => {
      const [joined, pending] = await Promise.all([readJoined(token.id), countPending(null, token.id)])
      return { ...joined, pending }
    },
  })
  useLiveRefresh(companyId, ['devices', 'enrollment_requests'], queryKey)
  const { devices = [], total = 0, pending = 0 } = query.data ?? {}
  const isWaiting = total === 0 && pending === 0
  return (
    <Alert
      // Announced as it changes; an alert would interrupt.
      role="status"
      type={total > 0 ? 'success' : query.isError ? 'error' : 'info'}
      showIcon
      icon={isWaiting && !query.isError ? <Spin size="small" /> : undefined}
      title={t('watch.title', { name: token.name })}
      description={
        query.isError ? (
          errorText(query.error, t('watch.failed'))
        ) : (
          <div className={css.watch}>
            {isWaiting ? <span>{t('watch.waiting')}</span> : null}
            {total > 0 ? <span>{t('watch.joined', { count: total })}</span> : null}
            {devices.map(({ id, name }) => (
              <Link key={id} to={`/devices/${id}`}>
                {t('watch.open', { name })}
              </Link>
            ))}
            {pending > 0 ? (
              <span>
                {t('watch.pending', { count: pending })}{' '}
                <Link to="/enrollment-requests?view=pending">{t('watch.review')}</Link>
              </span>
            ) : null}
          </div>
        )
      }
      closable={onClose ? { onClose, 'aria-label': t('watch.close') } : false}
    />
  )
}
