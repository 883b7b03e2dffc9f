import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import css from './agents.module.css'

const STEPS = ['create', 'paste', 'watch'] as const

/** How to enroll a device; replaces the list while there are no agents. */
export function JoinGuide({ action }: { action: ReactNode }) {
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
