import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import css from './agents.module.css'
import { readAgentVersions } from './token-data'

export function VersionSpread() {
  const { t } = useTranslation('agents')
  const language = useLanguage()
  const errorText = useErrorText()
  const { companyId } = useCompanyScope()
  const query = useQuery({
    queryKey: [companyId ?? 'all', 'devices', 'agent-versions'],
    queryFn: () => readAgentVersions(companyId),
  })
  const total = query.data?.reduce((sum, version) => sum + version.devices, 0) ?? 0
  return (
    <section className={css.panel} aria-labelledby="agent-versions">
      <h2 className={css.heading} id="agent-versions">
        {t('versions.title')}
      </h2>
      {query.isPending ? (
        <LoadingState rows={3} />
      ) : query.data === undefined ? (
        <ErrorState text={errorText(query.error)} onRetry={() => query.refetch()} />
      ) : total === 0 ? (
        <p className={css.text}>{t('versions.empty')}</p>
      ) : (
        <ul className={css.versions}>
          {query.data.map((version) => (
            <li key={version.agent_version ?? ''} className={css.version}>
              <span style={{ overflowWrap: 'anywhere' }}>{version.agent_version ?? t('versions.none')}</span>
              <span className={css.track} aria-hidden>
                <span className={css.fill} style={{ width: `${(version.devices / total) * 100}%` }} />
              </span>
              <span className={css.number}>
                {t('versions.devices', {
                  count: version.devices,
                  shown: formatNumber(version.devices, language),
                })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
