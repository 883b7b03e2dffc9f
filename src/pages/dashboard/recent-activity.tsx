import CheckCircleFilled from '@ant-design/icons/es/icons/CheckCircleFilled'
import CloseCircleFilled from '@ant-design/icons/es/icons/CloseCircleFilled'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { RelativeTime } from '@/ui/relative-time'
import { type RecentRun, runLink } from './dashboard-data'
import css from './dashboard-page.module.css'

export function RecentActivity({ runs }: { runs: RecentRun[] }) {
  const { t } = useTranslation('dashboard')
  return (
    <section className={css.panel} aria-labelledby="recent-activity">
      <h2 className={css.heading} id="recent-activity">
        {t('recent.title')}
      </h2>
      {runs.length === 0 ? (
        <div className={css.empty}>{t('recent.empty')}</div>
      ) : (
        <ul className={css.list}>
          {runs.map((run) => (
            <li key={run.id}>
              <RecentLine run={run} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function RecentLine({ run }: { run: RecentRun }) {
  const { t } = useTranslation('dashboard')
  const to = runLink(run)
  const where =
    run.procedureName && run.deviceName
      ? t('recent.onDevice', { procedure: run.procedureName, device: run.deviceName })
      : (run.procedureName ?? run.deviceName)
  const content = (
    <>
      {run.isSuccess ? (
        <CheckCircleFilled className={`${css.lineMark} l-success`} aria-label={t('recent.success')} />
      ) : (
        <CloseCircleFilled className={`${css.lineMark} l-error`} aria-label={t('recent.error')} />
      )}
      <span className={css.lineOutput}>{run.output?.trim() || t('recent.defaultOutput')}</span>
      <span className={css.lineTime}>
        {run.executedAt === null ? null : <RelativeTime value={run.executedAt} />}
      </span>
      {where === null ? null : <span className={css.lineWhere}>{where}</span>}
    </>
  )
  if (to === null) return <div className={css.line}>{content}</div>
  return (
    <Link to={to} className={css.line}>
      {content}
    </Link>
  )
}
