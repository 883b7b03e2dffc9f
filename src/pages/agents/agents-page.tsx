import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { useVerdict } from '@/access/use-verdict'
import { DeniedError } from '@/data/errors'
import { useLiveRefresh } from '@/pages/jobs/use-live-refresh'
import { useTabParams } from '@/pages/jobs/use-tab-params'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { lazyPart } from '@/ui/load-chunk'
import { LoadingState } from '@/ui/loading-state'
import css from './agents.module.css'
import { InstallHelp } from './install-help'
import { readNames, readTokens } from './token-data'
import { TokenTable } from './token-table'
import { VersionSpread } from './version-spread'

const CreateTokenDialog = lazyPart(() =>
  import('./create-token-dialog').then((module) => ({ default: module.CreateTokenDialog })),
)

const PAGE_SIZE = 20

export function AgentsPage() {
  const { t } = useTranslation('agents')
  const page = useVerdict('agents', 'list')
  const tokens = useVerdict('enrollment_tokens', 'list')
  const [isCreating, setIsCreating] = useState(false)
  if (!page.allowed) return <DeniedState />
  return (
    <div className={css.page}>
      <section className={css.panel} aria-labelledby="enrolment-tokens">
        <div className={css.head}>
          <div>
            <h2 className={css.heading} id="enrolment-tokens">
              {t('tokens.title')}
            </h2>
            <p className={css.text}>{t('tokens.text')}</p>
          </div>
          <GuardedButton
            resource="enrollment_tokens"
            action="create"
            type="primary"
            onClick={() => setIsCreating(true)}
          >
            {t('tokens.create')}
          </GuardedButton>
        </div>
        {tokens.allowed ? (
          <Tokens onCreate={() => setIsCreating(true)} />
        ) : (
          <DeniedState title={t('tokens.deniedTitle')} text={t('tokens.deniedText')} />
        )}
      </section>
      <div className={css.columns}>
        <VersionSpread />
        <InstallHelp />
      </div>
      {isCreating ? (
        <Suspense fallback={null}>
          <CreateTokenDialog onClose={() => setIsCreating(false)} />
        </Suspense>
      ) : null}
    </div>
  )
}

function Tokens({ onCreate }: { onCreate: () => void }) {
  const { t } = useTranslation('agents')
  const errorText = useErrorText()
  const { companyId } = useCompanyScope()
  const { params, setParams } = useTabParams(['page'])
  const page = Math.max(1, Number(params.page) || 1)
  const queryKey = [companyId ?? 'all', 'enrollment_tokens']
  const query = useQuery({
    queryKey: [...queryKey, page],
    queryFn: () => readTokens(companyId, page, PAGE_SIZE),
    placeholderData: (before) => before,
  })
  useLiveRefresh(companyId, ['enrollment_tokens', 'groups'], queryKey)
  const makers = [
    ...new Set(query.data?.rows.flatMap((token) => (token.created_by ? [token.created_by] : [])) ?? []),
  ].sort()
  const names = useQuery({
    queryKey: [companyId ?? 'all', 'profiles', 'names', makers],
    queryFn: () => readNames(makers),
    enabled: makers.length > 0,
  })

  if (query.isPending) return <LoadingState rows={4} />
  if (query.error instanceof DeniedError) return <DeniedState />
  if (query.data === undefined) {
    return <ErrorState text={errorText(query.error)} onRetry={() => query.refetch()} />
  }
  if (query.data.total === 0) {
    return (
      <EmptyState
        title={t('tokens.empty')}
        text={t('tokens.emptyText')}
        action={
          <GuardedButton resource="enrollment_tokens" action="create" onClick={onCreate}>
            {t('tokens.create')}
          </GuardedButton>
        }
      />
    )
  }
  return (
    <TokenTable
      tokens={query.data.rows}
      names={names.data}
      total={query.data.total}
      page={page}
      pageSize={PAGE_SIZE}
      onPage={(next) => setParams({ page: next === 1 ? '' : String(next) })}
      onChanged={() => query.refetch()}
    />
  )
}
