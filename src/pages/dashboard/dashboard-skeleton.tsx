import { Skeleton } from 'antd'
import { useTranslation } from 'react-i18next'
import { useIsConnectionLost } from '@/ui/connection-lost'
import { ConnectionWaiting } from '@/ui/waiting-states'
import css from './dashboard-page.module.css'

const CARDS = ['online', 'offline', 'procedures', 'alerts']

/** The outline of the page, so that nothing moves when the figures load. */
export function DashboardSkeleton() {
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
