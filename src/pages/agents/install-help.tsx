import { useTranslation } from 'react-i18next'
import css from './agents.module.css'

const STEPS = ['create', 'paste', 'watch'] as const

/** How a device comes to be here, for those who read the page before they have a token. */
export function InstallHelp() {
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
    </section>
  )
}
