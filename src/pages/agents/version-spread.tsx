import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useLiveRefresh } from '@/pages/jobs/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import css from './agents.module.css'

interface AgentVersion {
  agent_version: string | null
  devices: number
}

const MAX_SHOWN = 4

/** How up to date the fleet's agents are: the most frequent versions with their share. */
export function VersionSpread() {
  const { t } = useTranslation('agents')
  const language = useLanguage()
  const errorText = useErrorText()
  const { companyId } = useCompanyScope()
  const query = useRpc<AgentVersion[]>({
    name: 'agent_versions',
    args: { company: companyId },
    resource: 'devices',
  })
  useLiveRefresh(companyId, ['devices'], [query])
  const versions = query.data ?? []
  const total = versions.reduce((sum, version) => sum + version.devices, 0)
  const hidden = versions.length - MAX_SHOWN
  return (
    <section className={css.spread} aria-labelledby="agent-versions">
      <h2 className={css.label} id="agent-versions">
        {t('versions.title')}
      </h2>
      {query.isError ? (
        <span className={css.text}>{errorText(query.error)}</span>
      ) : (
        <ul className={css.versions}>
          {/* The list below must not move when the versions arrive. */}
          {query.isPending ? (
            <li className={css.version} aria-hidden="true">
              <span className={css.track} />
            </li>
          ) : null}
          {versions.slice(0, MAX_SHOWN).map((version) => (
            <li key={version.agent_version ?? ''} className={css.version}>
              <span>{version.agent_version ?? t('versions.none')}</span>
              <span className={css.track} aria-hidden="true">
                <span className={css.fill} style={{ inlineSize: `${(version.devices / total) * 100}%` }} />
              </span>
              <span className={css.number}>
                {t('versions.devices', {
                  count: version.devices,
                  shown: formatNumber(version.devices, language),
                })}
              </span>
            </li>
          ))}
          {hidden > 0 ? <li className={css.number}>{t('versions.more', { count: hidden })}</li> : null}
        </ul>
      )}
    </section>
  )
}
