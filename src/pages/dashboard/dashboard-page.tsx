import AlertOutlined from '@ant-design/icons/es/icons/AlertOutlined'
import CheckCircleOutlined from '@ant-design/icons/es/icons/CheckCircleOutlined'
import CodeOutlined from '@ant-design/icons/es/icons/CodeOutlined'
import DisconnectOutlined from '@ant-design/icons/es/icons/DisconnectOutlined'
import { useNotification } from '@refinedev/core'
import { Button, Skeleton } from 'antd'
import { useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { useCan } from '@/access/use-can'
import { DeniedError } from '@/data/errors'
import { useLanguage } from '@/i18n/use-language'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'
import { QueryState } from '@/resource/query-state'
import { FirstCompany, useNeedsCompany } from '@/resource/screens/list/first-company'
import { useErrorText } from '@/resource/use-error-text'
import { SeatsNotice } from '@/session/seats-notice'
import { useCompanyScope } from '@/session/use-company-scope'
import { PRODUCT_NAME } from '@/ui/brand'
import { useIsConnectionLost } from '@/ui/connection-lost'
import { DeniedState } from '@/ui/denied-state'
import { KIOSK } from '@/ui/kiosk'
import { ConnectionWaiting } from '@/ui/waiting-states'
import { Attention } from './attention'
import { type DashboardData, OPEN_ALERTS, SEVERITIES, toDashboard } from './dashboard-data'
import css from './dashboard-page.module.css'
import { OperatingSystems } from './operating-systems'
import { QuickActions } from './quick-actions'
import { RecentActivity } from './recent-activity'
import { SummaryCard } from './summary-card'

/** A wall board is not looked after: what no live message tells, such as the time, is read again. */
const BOARD_REFETCH_MS = 60_000

/** The tables behind the figures; changes of other tables do not refetch. */
const WATCHED = ['devices', 'procedures', 'monitors', 'alerts', 'tickets', 'procedure_logs']

export function DashboardPage() {
  const { t } = useTranslation('dashboard')
  const can = useCan()
  const verdict = can('dashboard', 'show')
  const { companyId } = useCompanyScope()
  const { open } = useNotification()
  const errorText = useErrorText()
  const [params] = useSearchParams()
  const isBoard = params.has(KIOSK)
  const query = useRpc(
    { name: 'dashboard', args: { company: companyId } },
    { enabled: verdict.allowed, refetchInterval: isBoard ? BOARD_REFETCH_MS : false },
  )
  const data = useMemo(() => (query.data === undefined ? undefined : toDashboard(query.data)), [query.data])
  useLiveRefresh(companyId, WATCHED, [query])
  const [isKnown] = useState(data !== undefined)

  const { error } = query
  useEffect(() => {
    if (error === null) return
    // The specification requires the error's own message, even for a server error.
    open?.({ type: 'error', message: t('error'), description: errorText(error, error.message) })
  }, [error, open, t, errorText])

  if (!verdict.allowed || error instanceof DeniedError) return <DeniedState />
  // The last figures stay on the page when a refresh fails; the toast reports it.
  if (data === undefined)
    return <QueryState query={query} loading={<DashboardSkeleton />} fallback={t('error')} />
  return <Dashboard data={data} isKnown={isKnown} isBoard={isBoard} />
}

interface DashboardProps {
  data: DashboardData
  isKnown: boolean
  isBoard: boolean
}

function Dashboard({ data, isKnown, isBoard }: DashboardProps) {
  const { t } = useTranslation('dashboard')
  const needsCompany = useNeedsCompany()
  const { companyId } = useCompanyScope()
  const alerts = SEVERITIES.reduce((sum, severity) => sum + data.severities[severity], 0)
  return (
    <div className={isBoard ? `${css.page} ${css.board}` : css.page}>
      {isBoard ? <WallBoardHead updatedAt={data.updatedAt} /> : null}
      {needsCompany && !isBoard ? <FirstCompany /> : null}
      {companyId !== null && !isBoard ? <SeatsNotice companyId={companyId} /> : null}
      <ul className={css.cards} aria-label={t('cards.label')}>
        <li>
          <SummaryCard
            isKnown={isKnown}
            title={t('cards.online')}
            value={data.online}
            badge={t('cards.active')}
            tone="success"
            icon={<CheckCircleOutlined aria-hidden="true" />}
            to="/devices?status=online"
          />
        </li>
        <li>
          <SummaryCard
            isKnown={isKnown}
            title={t('cards.offline')}
            value={data.offline}
            badge={data.offline > 0 ? t('cards.needsAttention') : t('cards.allOk')}
            tone={data.offline > 0 ? 'warning' : 'success'}
            icon={<DisconnectOutlined aria-hidden="true" />}
            to="/devices?status=offline"
          />
        </li>
        <li>
          <SummaryCard
            isKnown={isKnown}
            title={t('cards.procedures')}
            value={data.procedures}
            badge={t('cards.available')}
            tone="info"
            icon={<CodeOutlined aria-hidden="true" />}
            to="/procedures"
          />
        </li>
        <li>
          <SummaryCard
            isKnown={isKnown}
            title={t('cards.alerts')}
            value={alerts}
            note={data.failing > 0 ? t('cards.failingMonitors', { count: data.failing }) : undefined}
            badge={alerts > 0 ? t('cards.monitorIssues') : t('cards.allOk')}
            tone={alerts > 0 ? 'error' : 'success'}
            icon={<AlertOutlined aria-hidden="true" />}
            to={OPEN_ALERTS}
          />
        </li>
      </ul>
      <div className={css.columns}>
        <RecentActivity runs={data.recent} />
        <OperatingSystems systems={data.systems} />
      </div>
      {isBoard ? null : <QuickActions />}
      <Attention data={data} />
      {isBoard ? null : (
        <Link to={`?${KIOSK}`} className={css.boardLink}>
          {t('kiosk.open')}
        </Link>
      )}
    </div>
  )
}

/** The head of the wall board, which has no menu: how current it is, and the way out, which Escape is too. */
function WallBoardHead({ updatedAt }: { updatedAt: string | null }) {
  const { t } = useTranslation('dashboard')
  const language = useLanguage()
  const [, setParams] = useSearchParams()
  const close = () => setParams({})
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setParams({})
    }
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [setParams])
  const time = updatedAt ? new Date(updatedAt).toLocaleTimeString(language === 'tr' ? 'tr-TR' : 'en-GB') : '–'
  return (
    <div className={css.boardHead}>
      <strong>{PRODUCT_NAME}</strong>
      <span>{t('kiosk.updated', { time })}</span>
      <Button onClick={close}>{t('kiosk.close')}</Button>
    </div>
  )
}

const CARDS = ['online', 'offline', 'procedures', 'alerts']

/** The outline of the page, so that nothing moves when the figures load. */
function DashboardSkeleton() {
  const { t } = useTranslation('dashboard')
  const isLost = useIsConnectionLost()
  if (isLost) return <ConnectionWaiting />
  return (
    <div className={css.page} role="status" aria-label={t('loading')}>
      <div className={css.cards}>
        {CARDS.map((key) => (
          <div className={css.panel} key={key}>
            <Skeleton active title={{ width: '60%' }} paragraph={{ rows: 2, width: ['40%', '30%'] }} />
          </div>
        ))}
      </div>
      <div className={css.columns}>
        <div className={css.panel}>
          <Skeleton active paragraph={{ rows: 6 }} />
        </div>
        <div className={css.panel}>
          <Skeleton active paragraph={{ rows: 6 }} />
        </div>
      </div>
    </div>
  )
}
