import AlertOutlined from '@ant-design/icons/es/icons/AlertOutlined'
import AuditOutlined from '@ant-design/icons/es/icons/AuditOutlined'
import ClockCircleOutlined from '@ant-design/icons/es/icons/ClockCircleOutlined'
import CloudSyncOutlined from '@ant-design/icons/es/icons/CloudSyncOutlined'
import PoweroffOutlined from '@ant-design/icons/es/icons/PoweroffOutlined'
import { CanAccess } from '@refinedev/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { complianceLinks, DEFAULT_DAYS } from '@/runs/updates/compliance-data'
import { type DashboardData, OPEN_ALERTS, SEVERITIES } from './dashboard-data'
import css from './dashboard-page.module.css'

const TONES = { critical: css.error, warning: css.warning, info: css.info } as const

/** Open alerts by severity, tickets near their targets, devices that lack updates, restarts that wait, and scripts that wait for the user. */
export function Attention({ data }: { data: DashboardData }) {
  const { t } = useTranslation('dashboard')
  const language = useLanguage()
  const { severities, unchecked, outdated, reboots, compliance, approvals, tickets } = data
  const devices = data.online + data.offline
  const alerts = SEVERITIES.filter((severity) => severities[severity] > 0)
  const share = compliance?.share ?? (devices > 0 ? 1 - outdated / devices : 0)
  // A share that is not whole never reads as if it were.
  const percent = formatNumber(Math.floor(share * 100) / 100, language, { style: 'percent' })
  return (
    <ul className={css.attention} aria-label={t('attention.label')}>
      {approvals > 0 ? (
        <li className={css.approvals}>
          <AuditOutlined aria-hidden="true" />
          <Link to="/procedures?view=waiting">{t('attention.approvals', { count: approvals })}</Link>
        </li>
      ) : null}
      <CanAccess resource="alerts" action="list">
        <Box title={t('attention.alerts')} icon={<AlertOutlined aria-hidden="true" />}>
          {alerts.length === 0 ? (
            <p className={css.calm}>{t('attention.noAlerts')}</p>
          ) : (
            <p className={css.severities}>
              {alerts.map((severity) => (
                <Link key={severity} to={`${OPEN_ALERTS}&severity=${severity}`}>
                  <span className={`${css.severity} ${TONES[severity]}`}>
                    <strong>{formatNumber(severities[severity], language)}</strong>{' '}
                    {t(`attention.${severity}`)}
                  </span>
                </Link>
              ))}
            </p>
          )}
          {unchecked > 0 ? (
            <CanAccess resource="monitors" action="list">
              <Link to="/monitors?health=unknown">{t('attention.unchecked', { count: unchecked })}</Link>
            </CanAccess>
          ) : null}
        </Box>
      </CanAccess>
      {tickets ? (
        <Box title={t('attention.tickets')} icon={<ClockCircleOutlined aria-hidden="true" />}>
          {tickets.warning + tickets.breached === 0 ? (
            <p className={css.calm}>{t('attention.noTickets')}</p>
          ) : null}
          {tickets.breached > 0 ? (
            <Link className={css.overdue} to="/tickets?view=breached">
              {t('attention.breached', { count: tickets.breached })}
            </Link>
          ) : null}
          {tickets.warning > 0 ? (
            <Link to="/tickets?view=near_breach">
              {t('attention.nearBreach', { count: tickets.warning })}
            </Link>
          ) : null}
        </Box>
      ) : null}
      <Box title={t('attention.updates')} icon={<CloudSyncOutlined aria-hidden="true" />}>
        {devices === 0 ? (
          <p className={css.calm}>{t('attention.noDevices')}</p>
        ) : (
          <>
            <p className={css.calm}>
              {compliance?.share == null
                ? t('attention.upToDate', { share: percent })
                : t('attention.compliant', { share: percent, days: DEFAULT_DAYS })}
            </p>
            <span className={css.track} aria-hidden="true">
              <span className={css.fill} style={{ width: `${share * 100}%` }} />
            </span>
            {compliance && compliance.overdueTotal > 0 ? (
              <Link className={css.overdue} to={complianceLinks.overdue(DEFAULT_DAYS)}>
                {t('attention.overdue', { count: compliance.overdueTotal })}
              </Link>
            ) : null}
            {outdated > 0 ? (
              <Link to="/devices?view=outdated">{t('attention.outdated', { count: outdated })}</Link>
            ) : (
              <span>{t('attention.noOutdated')}</span>
            )}
          </>
        )}
      </Box>
      <Box title={t('attention.reboots')} icon={<PoweroffOutlined aria-hidden="true" />}>
        {reboots > 0 ? (
          <>
            <p className={css.figure}>{formatNumber(reboots, language)}</p>
            <Link to="/devices?view=reboot">{t('attention.reboot', { count: reboots })}</Link>
          </>
        ) : (
          <p className={css.calm}>{t('attention.noReboots')}</p>
        )}
      </Box>
    </ul>
  )
}

function Box({ title, icon, children }: { title: string; icon: ReactNode; children: ReactNode }) {
  return (
    <li className={css.panel}>
      <h2 className={css.heading}>
        {icon} {title}
      </h2>
      {children}
    </li>
  )
}
