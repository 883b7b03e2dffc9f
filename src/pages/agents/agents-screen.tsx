import { useList } from '@refinedev/core'
import { Alert } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCan } from '@/access/use-can'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import type { ScreenProps } from '@/resource/engine-context'
import { QueryState } from '@/resource/query-state'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { FirstCompany, useNeedsCompany } from '@/resource/screens/list/first-company'
import { RecordList } from '@/resource/screens/list/record-list'
import { useCompanyScope } from '@/session/use-company-scope'
import css from './agents.module.css'
import { CreateToken } from './create-token'
import { usePendingCount } from './use-pending-count'
import { VersionSpread } from './version-spread'

/** The devices with an agent, or instructions for enrolling one when there are none. */
export function AgentsScreen({ resource }: ScreenProps) {
  const { t } = useTranslation('agents')
  const { companyId } = useCompanyScope()
  const needsCompany = useNeedsCompany()
  const { query } = useList({
    resource: 'devices',
    filters: [{ field: 'enrolled_at', operator: 'nnull', value: null }],
    pagination: { pageSize: 1 },
    meta: { companyId, select: 'id', count: 'none' },
  })
  const hasAgents = query.data && query.data.data.length > 0
  useLiveRefresh(companyId, hasAgents ? [] : ['devices'], [query])

  return (
    <div className={css.page}>
      <PendingNotice />
      {hasAgents === undefined ? (
        <QueryState query={query} rows={12} fallback={t('list.failed')} />
      ) : hasAgents ? (
        <CreateToken>
          {(button) => (
            <>
              <VersionSpread />
              <DefinedScreen resource={resource}>
                {(definition) => <RecordList definition={definition} action={button} />}
              </DefinedScreen>
            </>
          )}
        </CreateToken>
      ) : needsCompany ? (
        <FirstCompany />
      ) : (
        <CreateToken>{(button) => <JoinGuide action={button} />}</CreateToken>
      )}
    </div>
  )
}

function PendingNotice() {
  const { t } = useTranslation('agents')
  const { companyId } = useCompanyScope()
  const can = useCan()
  const { query, count } = usePendingCount({ isEnabled: can('enrollment_requests', 'list').allowed })
  useLiveRefresh(companyId, ['enrollment_requests'], [query])
  return (
    <div role="status">
      {count > 0 ? (
        <Alert
          type="warning"
          showIcon
          title={t('queue.waiting', { count })}
          action={<Link to="/enrollment-requests?view=pending">{t('queue.review')}</Link>}
        />
      ) : null}
    </div>
  )
}

const STEPS = ['create', 'paste', 'watch'] as const

/** How to enroll a device; replaces the list while there are no agents. */
function JoinGuide({ action }: { action: ReactNode }) {
  const { t } = useTranslation('agents')
  return (
    <section className={css.panel} aria-labelledby="agent-help">
      <h2 className={css.heading} id="agent-help">
        {t('help.title')}
      </h2>
      <ol className={css.steps}>
        {STEPS.map((step) => (
          <li key={step}>{t(`help.${step}`)}</li>
        ))}
      </ol>
      <p className={css.text}>
        <strong>{t('install.noNode')}</strong> {t('help.noNode')}{' '}
        <a href="https://nodejs.org/en/download" target="_blank" rel="noreferrer">
          nodejs.org
        </a>
      </p>
      <div className={css.action}>{action}</div>
    </section>
  )
}
