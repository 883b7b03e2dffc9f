import { useList } from '@refinedev/core'
import { Alert, Spin } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { TableRow } from '@/data/database'
import { formatDateTime } from '@/i18n/format'
import type { Language } from '@/i18n/language'
import { useLanguage } from '@/i18n/use-language'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import css from './agents.module.css'
import { usePendingCount } from './use-pending-count'

const MAX_LINKS = 5

type JoinedDevice = Pick<TableRow<'devices'>, 'id' | 'name' | 'serial' | 'ip_address' | 'enrolled_at'>

/** Machines that were made from one image have one name: all that may tell them apart, as far as it is known. */
function marksOf({ serial, ip_address, enrolled_at }: JoinedDevice, language: Language): string {
  const at = enrolled_at === null ? null : formatDateTime(enrolled_at, language)
  return [serial, ip_address, at].filter(Boolean).join(' · ')
}

export type WatchedToken = { id: string; name: string }

/** Waits for the devices that enroll with a token, and announces them. */
export function JoinWatch({ token, onClose }: { token: WatchedToken; onClose?: () => void }) {
  const { t } = useTranslation('agents')
  const errorText = useErrorText()
  const language = useLanguage()
  const { companyId } = useCompanyScope()
  const { query: joined } = useList<JoinedDevice>({
    resource: 'devices',
    filters: [{ field: 'enrollment_token_id', operator: 'eq', value: token.id }],
    sorters: [{ field: 'enrolled_at', order: 'desc' }],
    pagination: { pageSize: MAX_LINKS },
    meta: { companyId, select: 'id,name,serial,ip_address,enrolled_at' },
  })
  const { query: waiting, count: pending } = usePendingCount({ tokenId: token.id })
  useLiveRefresh(companyId, ['devices', 'enrollment_requests'], [joined, waiting])
  const { data: devices = [], total = 0 } = joined.data ?? {}
  const error = joined.error ?? waiting.error
  const isWaiting = total === 0 && pending === 0
  return (
    <Alert
      // Announced as it changes; an alert would interrupt.
      role="status"
      type={total > 0 ? 'success' : error ? 'error' : 'info'}
      showIcon
      icon={isWaiting && !error ? <Spin size="small" /> : undefined}
      title={<span className="l-anywhere">{t('watch.title', { name: token.name })}</span>}
      description={
        error ? (
          errorText(error, t('watch.failed'))
        ) : (
          <div className={css.watch}>
            {isWaiting ? <span>{t('watch.waiting')}</span> : null}
            {total > 0 ? <span>{t('watch.joined', { count: total })}</span> : null}
            {devices.map((device) => (
              <span key={device.id} className={css.joined}>
                <Link to={`/devices/${device.id}`} aria-describedby={`joined-${device.id}`}>
                  {t('watch.open', { name: device.name })}
                </Link>
                <span id={`joined-${device.id}`} className={css.marks}>
                  {marksOf(device, language)}
                </span>
              </span>
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
