import IdcardOutlined from '@ant-design/icons/es/icons/IdcardOutlined'
import { useList, useOne } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import type { TableRow } from '@/data/database'
import { errorText } from '@/data/error-text'
import { DeniedError } from '@/data/errors'
import { formatLongDate, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useErrorWords } from '@/pages/notifications/use-error-words'
import { daysLeft } from '@/session/licence'
import type { CompanyStatus } from '@/session/types'
import { useCompanyScope } from '@/session/use-company-scope'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { Panel } from '@/ui/panel'
import { StatusTag, type Tone } from '@/ui/status-tag'
import '@/pages/settings/settings.css'

type Company = Pick<TableRow<'companies'>, 'name' | 'license_type' | 'license_end_date' | 'seats'> & {
  status: CompanyStatus
}
type Licence = Company & { devices: number }

const TONES: Record<CompanyStatus, Tone> = { Active: 'success', Expired: 'error', Suspended: 'warning' }
const PRO = ['automation', 'patches', 'appStore', 'corporateApps'] as const

export function SystemLicensePage() {
  const { t } = useTranslation('settings')
  const { companyId } = useCompanyScope()
  if (companyId === null) {
    return (
      <EmptyState
        icon={<IdcardOutlined aria-hidden="true" />}
        title={t('licence.chooseTitle')}
        text={t('licence.chooseText')}
      />
    )
  }
  return <CompanyLicence companyId={companyId} />
}

function CompanyLicence({ companyId }: { companyId: string }) {
  const { t } = useTranslation('settings')
  const words = useErrorWords()
  const { query: company } = useOne<Company>({
    resource: 'companies',
    id: companyId,
    meta: { select: 'name,status,license_type,license_end_date,seats' },
    errorNotification: false,
  })
  const { query: devices } = useList({
    resource: 'devices',
    meta: { companyId, count: 'only' },
    errorNotification: false,
  })
  const queries = [company, devices]
  const error = company.error ?? devices.error
  const retry = () => Promise.all(queries.flatMap((query) => (query.isError ? [query.refetch()] : [])))
  if (error instanceof DeniedError) return <DeniedState text={errorText(error, words)} />
  if (queries.some((query) => query.isPending)) return <LoadingState />
  if (!company.data || !devices.data)
    return <ErrorState text={errorText(error, words)} onRetry={() => void retry()} />
  return (
    <div className="settings">
      <Panel title={company.data.data.name}>
        <LicenceFacts licence={{ ...company.data.data, devices: devices.data.total }} />
      </Panel>
      <Panel title={t('licence.proTitle')} intro={t('licence.proIntro')}>
        <ul className="licence-pro">
          {PRO.map((feature) => (
            <li key={feature}>{t(`licence.pro.${feature}`)}</li>
          ))}
        </ul>
      </Panel>
    </div>
  )
}

function LicenceFacts({ licence }: { licence: Licence }) {
  const { t } = useTranslation('settings')
  const language = useLanguage()
  const end = licence.license_end_date
  const left = end === null ? null : daysLeft(end, Date.now())
  // Between the end and the database's next look at it, the licence is over already.
  const status = licence.status === 'Active' && left === 0 ? 'Expired' : licence.status
  const devices = formatNumber(licence.devices, language)
  return (
    <dl className="licence-facts">
      <dt>{t('licence.status')}</dt>
      <dd>
        <StatusTag tone={TONES[status]}>{t(`licence.statuses.${status}`)}</StatusTag>
      </dd>
      <dt>{t('licence.type')}</dt>
      <dd>{licence.license_type}</dd>
      <dt>{t('licence.end')}</dt>
      <dd>{end === null ? t('licence.noEnd') : formatLongDate(end, language)}</dd>
      {left === null ? null : (
        <>
          <dt>{t('licence.daysLeft')}</dt>
          <dd>{formatNumber(left, language)}</dd>
        </>
      )}
      <dt>{t('licence.seats')}</dt>
      <dd>
        {licence.seats === null
          ? t('licence.unlimited', { devices })
          : t('licence.used', { devices, seats: formatNumber(licence.seats, language) })}
      </dd>
    </dl>
  )
}
