import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { formatExitCode, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useValueWord } from '@/resource/language/words'
import { exitCodeBars } from './exit-codes'
import { tally } from './run-status'
import css from './runs.module.css'

/** Whatever is not listed failed. A run out of time is told from one that failed by itself. */
const COLORS: Record<string, string> = {
  succeeded: 'var(--k-success)',
  timed_out: 'var(--k-warning)',
  expired: 'var(--k-warning)',
  cancelled: 'var(--k-text-faint)',
}

/** How the ended runs ended: a bar an exit code, and the share that succeeded. */
export function ExitCodes({ runs }: { runs: readonly { status: string; exit_code: number | null }[] }) {
  const { t } = useTranslation('jobs')
  const language = useLanguage()
  const word = useValueWord('job_runs', 'status')
  const headingId = useId()
  const bars = exitCodeBars(runs)
  const counts = tally(runs)
  const ended = counts.succeeded + counts.failed
  if (bars.length === 0) return null
  return (
    <section aria-labelledby={headingId} className="l-stack">
      <div className={css.codesHead}>
        <h3 id={headingId} className={css.codesTitle}>
          {t('history.exitCodes')}
        </h3>
        {ended > 0 ? (
          <span className="l-secondary">
            {t('history.success')}{' '}
            <strong className={css.success}>
              {formatNumber(counts.succeeded / ended, language, {
                style: 'percent',
                maximumFractionDigits: 0,
              })}
            </strong>
          </span>
        ) : null}
      </div>
      <ul className={css.bars}>
        {bars.map((bar) => (
          <li key={bar.key} className={css.bar}>
            <span className={css.barCode} data-code={bar.code !== null}>
              {bar.code !== null
                ? formatExitCode(bar.code)
                : bar.status === 'failed'
                  ? t('history.without')
                  : word(bar.status)}
            </span>
            <span className={css.barTrack} aria-hidden>
              <span
                className={css.barFill}
                style={{
                  width: `${bar.share * 100}%`,
                  background: COLORS[bar.status] ?? 'var(--k-error)',
                }}
              />
            </span>
            <span>{formatNumber(bar.count, language)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
