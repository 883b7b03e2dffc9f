import { CanAccess } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import css from './agents.module.css'

interface AgentVersion {
  agent_version: string | null
  devices: number
}

/** The answer of `rollout_status`. */
interface Rollout {
  /** Null where the server serves no agent. */
  version: string | null
  outdated: number
  updating: number
  failed: number
  /** Whether a policy updates any device. */
  automatic: boolean
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
  const rollout = useRpc<Rollout>({
    name: 'rollout_status',
    args: { company: companyId },
    resource: 'devices',
  })
  useLiveRefresh(companyId, ['devices'], [query, rollout])
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
          {query.isPending || rollout.isPending ? (
            <li className={css.version} aria-hidden="true">
              <span className={css.track} />
            </li>
          ) : null}
          {(rollout.isPending ? [] : versions).slice(0, MAX_SHOWN).map((version) => (
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
      {rollout.isError ? (
        <span className={css.text}>{errorText(rollout.error)}</span>
      ) : rollout.data?.version ? (
        <Updates rollout={rollout.data} version={rollout.data.version} />
      ) : null}
    </section>
  )
}

/** How many agents are not at the version that the console serves, and what becomes of them. */
function Updates({ rollout, version }: { rollout: Rollout; version: string }) {
  const { t } = useTranslation('agents')
  const { outdated, updating, failed, automatic } = rollout
  return (
    <ul className={css.versions}>
      <li className={css.number}>{t('versions.current', { version })}</li>
      <li>{outdated === 0 ? t('versions.allCurrent') : t('versions.outdated', { count: outdated })}</li>
      {updating > 0 ? (
        <li>
          <Link to="/agents?view=updating">{t('versions.updating', { count: updating })}</Link>
        </li>
      ) : null}
      {failed > 0 ? (
        <li>
          <Link to="/agents?view=update_failed">{t('versions.failed', { count: failed })}</Link>
        </li>
      ) : null}
      {automatic ? null : (
        <li className={css.number}>
          {t('versions.off')}
          <CanAccess resource="policies" action="list">
            {' · '}
            <Link to="/policies?view=agent">{t('versions.setUp')}</Link>
          </CanAccess>
        </li>
      )}
    </ul>
  )
}
