import { CanAccess } from '@refinedev/core'
import { Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'
import { QueryState } from '@/resource/query-state'
import {
  type Compliance,
  complianceLinks,
  DEFAULT_DAYS,
  OVERDUE_DAYS,
  toCompliance,
  UPDATE_SEVERITIES,
} from '@/runs/updates/compliance-data'
import { useCompanyScope } from '@/session/use-company-scope'
import css from './patches.module.css'

/** How many devices have what they should have, and since when the others lack it. Each part opens its devices. */
export function CompliancePanel() {
  const { t } = useTranslation('patches')
  const { companyId } = useCompanyScope()
  const [days, setDays] = useState<number>(DEFAULT_DAYS)
  const query = useRpc<unknown>(
    { name: 'patch_compliance', args: { company: companyId, days }, resource: 'device_patches' },
    { placeholderData: (previous) => previous },
  )
  useLiveRefresh(companyId, ['devices'], [query])
  return (
    <section className={css.panel} aria-labelledby="patch-compliance">
      <div className={css.head}>
        <h2 className={css.heading} id="patch-compliance">
          {t('compliance.title')}
        </h2>
        <CanAccess resource="policies" action="list">
          <Link to="/policies?kind=patch">{t('compliance.policies')}</Link>
        </CanAccess>
        <Select
          size="small"
          aria-label={t('compliance.days')}
          value={days}
          onChange={setDays}
          popupMatchSelectWidth={false}
          options={OVERDUE_DAYS.map((count) => ({ value: count, label: t('compliance.after', { count }) }))}
        />
      </div>
      {query.data !== undefined ? (
        <Chart compliance={toCompliance(query.data)} days={days} />
      ) : (
        // The list below must not move when the figures arrive.
        <QueryState query={query} loading={<div className={css.waiting} aria-busy="true" />} />
      )}
    </section>
  )
}

function Chart({ compliance, days }: { compliance: Compliance; days: number }) {
  const { t } = useTranslation('patches')
  const language = useLanguage()
  const number = (count: number) => formatNumber(count, language)
  const { devices, unknown, share } = compliance
  if (devices === 0) return <p className={css.text}>{t('compliance.noDevices')}</p>
  const parts = [
    {
      key: 'current',
      count: compliance.current,
      label: t('compliance.current'),
      to: complianceLinks.current(),
    },
    {
      key: 'due',
      count: compliance.due,
      label: t('compliance.due', { count: days }),
      to: complianceLinks.due(days),
    },
    ...UPDATE_SEVERITIES.map((severity) => ({
      key: severity,
      count: compliance.overdue[severity],
      label: t(`compliance.overdue.${severity}`),
      to: complianceLinks.overdue(days, { outdated_severity: severity }),
    })),
    { key: 'unknown', count: unknown, label: t('compliance.unknown'), to: complianceLinks.unknown() },
  ].filter(({ count }) => count > 0)
  return (
    <>
      <p className={css.summary}>
        {share === null ? (
          t('compliance.noReports')
        ) : (
          <>
            <strong className={css.share}>
              {/* A share that is not whole never reads as if it were. */}
              {formatNumber(Math.floor(share * 100) / 100, language, { style: 'percent' })}
            </strong>{' '}
            {t('compliance.summary', { count: devices - unknown, devices: number(devices - unknown), days })}
          </>
        )}
      </p>
      <div className={css.bar} aria-hidden="true">
        {parts.map(({ key, count, label, to }) => (
          <Link
            key={key}
            to={to}
            tabIndex={-1}
            title={`${label}: ${number(count)}`}
            className={`${css.slice} ${css[key]}`}
            style={{ flexGrow: count }}
          />
        ))}
      </div>
      <ul className={css.legend} aria-label={t('compliance.title')}>
        {parts.map(({ key, count, label, to }) => (
          <li key={key}>
            <span className={`${css.dot} ${css[key]}`} aria-hidden="true" />
            <Link to={to}>
              {label} <strong>{number(count)}</strong>
            </Link>
          </li>
        ))}
        {compliance.long > 0 ? (
          <li>
            <Link to={complianceLinks.overdue(days * 3)}>
              {t('compliance.long', { days: number(days * 3) })} <strong>{number(compliance.long)}</strong>
            </Link>
          </li>
        ) : null}
      </ul>
      {compliance.companies.length > 0 ? (
        <p className={css.text}>
          {t('compliance.companies')}{' '}
          {compliance.companies.map(({ id, name, count }, index) => (
            <span key={id}>
              {index > 0 ? ' · ' : null}
              <Link to={complianceLinks.overdue(days, { company_id: id })}>
                {name} <strong>{number(count)}</strong>
              </Link>
            </span>
          ))}
        </p>
      ) : null}
    </>
  )
}
