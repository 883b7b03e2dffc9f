import { Alert, Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { type AskedScript, platformLimit, type Selection, systemsIn } from './targets'
import css from './targets.module.css'

const NAMES_FIRST = 8

type Props = {
  selection: Selection
  /** The script or command that runs there, if the job has one. */
  script?: AskedScript | null
}

/** The devices of a run, by number and name, and the excluded ones with the reason. */
export function TargetSummary({ selection: { count, offline, names, excluded }, script }: Props) {
  const { t } = useTranslation('procedures')
  const language = useLanguage()
  const [isOpen, setIsOpen] = useState(false)
  const leftOut = excluded.reduce((total, each) => total + each.count, 0)
  if (count + leftOut === 0) return null
  const total = count + leftOut
  const limit = script ? platformLimit(script) : null
  const systems = limit ? systemsIn(limit, language) : ''
  // The title then says why.
  const isByPlatform = systems !== '' && excluded.every(({ reason }) => reason === 'platform')
  const shown = isOpen ? names : names.slice(0, NAMES_FIRST)
  const left = count - shown.length
  return (
    <div className="l-stack l-above">
      {count > 0 ? (
        <div className={css.named}>
          <strong>{t('run.resolved', { count, devices: formatNumber(count, language) })}</strong>{' '}
          <span className="l-soft l-anywhere">{shown.join(', ')}</span>{' '}
          {left > 0 && shown.length === names.length ? (
            t('run.more', { count: left, devices: formatNumber(left, language) })
          ) : left > 0 ? (
            <Button type="link" size="small" onClick={() => setIsOpen(true)} className={css.more}>
              {t('run.more', { count: left, devices: formatNumber(left, language) })}
            </Button>
          ) : null}
        </div>
      ) : null}
      {offline > 0 ? <span className="l-soft">{t('run.offline', { count: offline })}</span> : null}
      {leftOut > 0 ? (
        <Alert
          type="warning"
          showIcon
          title={t(
            isByPlatform ? (total === 1 ? 'run.onlyExcluded' : 'run.excludedByPlatform') : 'run.excluded',
            {
              count: leftOut,
              total: formatNumber(total, language),
              systems,
            },
          )}
          description={
            <ul className={css.excluded}>
              {excluded.map(({ reason, count: number, names: some }) => (
                <li key={reason} className="l-anywhere">
                  {isByPlatform ? null : `${t(`run.excludedBecause.${reason}`, { systems })} `}
                  <strong>{some.join(', ')}</strong>
                  {number > some.length
                    ? ` ${t('run.more', {
                        count: number - some.length,
                        devices: formatNumber(number - some.length, language),
                      })}`
                    : null}
                </li>
              ))}
            </ul>
          }
        />
      ) : null}
    </div>
  )
}
