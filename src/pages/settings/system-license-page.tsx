import IdcardOutlined from '@ant-design/icons/es/icons/IdcardOutlined'
import { useList, useOne } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import type { TableRow } from '@/data/database'
import { formatLongDate, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useProPageNames } from '@/resource/language/pro-pages'
import { daysLeft } from '@/session/license'
import type { CompanyStatus } from '@/session/types'
import { useCompanyScope } from '@/session/use-company-scope'
import { EmptyState } from '@/ui/empty-state'
import { Panel } from '@/ui/panel'
import { StatusTag, type Tone } from '@/ui/status-tag'
import '@/pages/settings/settings.css'
import { QueryState } from '@/resource/query-state'

type Company = Pick<TableRow<'companies'>, 'name' | 'license_type' | 'license_end_date' | 'seats'> & {
  status: CompanyStatus
}
type License = Company & { devices: number }

const TONES: Record<CompanyStatus, Tone> = { Active: 'success', Expired: 'error', Suspended: 'warning' }

export function SystemLicensePage() {
  const { t } = useTranslation('settings')
  const { companyId } = useCompanyScope()
  if (companyId === null) {
    return (
      <EmptyState
        icon={<IdcardOutlined aria-hidden="true" />}
        title={t('license.chooseTitle')}
        text={t('license.chooseText')}
      />
    )
  }
  return <CompanyLicense companyId={companyId} />
}

function CompanyLicense({ companyId }: { companyId: string }) {
  const { t } = useTranslation('settings')
  const pages = useProPageNames()
  const { query: company } = useOne<Company>({
    resource: 'companies',
    id: companyId,
    meta: { select: 'name,status,license_type,license_end_date,seats' },
  })
  const { query: devices } = useList({
    resource: 'devices',
    meta: { companyId, count: 'only' },
  })
  if (!company.data || !devices.data) return <QueryState query={[company, devices]} />
  return (
    <div className="settings">
      <Panel title={company.data.data.name}>
        <LicenseFacts license={{ ...company.data.data, devices: devices.data.total }} />
      </Panel>
      <Panel title={t('license.proTitle')} intro={t('license.proIntro')}>
        <ul className="license-pro">
          {pages.map((page) => (
            <li key={page}>{page}</li>
          ))}
        </ul>
      </Panel>
    </div>
  )
}

function LicenseFacts({ license }: { license: License }) {
  const { t } = useTranslation('settings')
  const language = useLanguage()
  const end = license.license_end_date
  const left = end === null ? null : daysLeft(end, Date.now())
  // The license ends at its end date, before the database updates the status.
  const status = license.status === 'Active' && left === 0 ? 'Expired' : license.status
  const devices = formatNumber(license.devices, language)
  return (
    <dl className="license-facts">
      <dt>{t('license.status')}</dt>
      <dd>
        <StatusTag tone={TONES[status]}>{t(`license.statuses.${status}`)}</StatusTag>
      </dd>
      <dt>{t('license.type')}</dt>
      <dd>{license.license_type}</dd>
      <dt>{t('license.end')}</dt>
      <dd>{end === null ? t('license.noEnd') : formatLongDate(end, language)}</dd>
      {left === null ? null : (
        <>
          <dt>{t('license.daysLeft')}</dt>
          <dd>{formatNumber(left, language)}</dd>
        </>
      )}
      <dt>{t('license.seats')}</dt>
      <dd>
        {license.seats === null
          ? t('license.unlimited', { devices })
          : t('license.used', { devices, seats: formatNumber(license.seats, language) })}
      </dd>
    </dl>
  )
}
