import { Skeleton } from 'antd'
import { Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { lazyPart } from '@/ui/load-chunk'
import { type SystemCount, type SystemShare, systemsLink, toShares } from './dashboard-data'
import css from './dashboard-page.module.css'
import { osColor } from './os-palette'

// The chart library is larger than the rest of the page. The list next to it shows the same figures at once.
const OsDonut = lazyPart(() => import('./os-donut').then((module) => ({ default: module.OsDonut })))

export function OperatingSystems({ systems }: { systems: SystemCount[] }) {
  const { t } = useTranslation('dashboard')
  const language = useLanguage()
  const shares = useMemo(() => toShares(systems), [systems])
  const total = systems.reduce((sum, system) => sum + system.count, 0)
  const nameOf = (share: SystemShare): string =>
    share.isRest ? t('systems.other', { count: share.names.length }) : share.key || t('systems.unknown')
  const slices = shares.map((share) => ({
    key: share.key,
    name: nameOf(share),
    count: share.count,
    color: osColor(share.key),
    to: systemsLink(share.names),
  }))

  return (
    <section className={css.panel} aria-labelledby="operating-systems">
      <h2 className={css.heading} id="operating-systems">
        {t('systems.title')}
      </h2>
      {total === 0 ? (
        <div className={css.empty}>
          {t('systems.empty')}
          <Link to="/agents">{t('systems.emptyAction')}</Link>
        </div>
      ) : (
        <div className={css.systems}>
          <div className={css.donut}>
            <Suspense fallback={<Skeleton.Avatar active shape="circle" size={240} />}>
              <OsDonut slices={slices} label={t('systems.chart')} />
            </Suspense>
            <div className={css.donutTotal}>
              <strong>{formatNumber(total, language)}</strong>
              {t('systems.devices', { count: total })}
            </div>
          </div>
          <ul className={css.list}>
            {shares.map((share, index) => (
              <li key={share.key}>
                <Link to={systemsLink(share.names)} className={css.system}>
                  <span className={css.dot} style={{ background: slices[index]?.color }} aria-hidden />
                  <span className={css.systemName} title={nameOf(share)}>
                    {nameOf(share)}
                  </span>
                  <span className={css.number}>{formatNumber(share.count, language)}</span>
                  <span className={css.share}>
                    {formatNumber(share.share, language, {
                      style: 'percent',
                      minimumFractionDigits: 1,
                      maximumFractionDigits: 1,
                    })}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}
