import { useOne } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import type { TableRow } from '@/data/database'
import { Notice } from '@/ui/notice'

type Seats = Pick<TableRow<'companies'>, 'id' | 'name' | 'seats' | 'device_count' | 'seats_left'>

/** Warns of a company with more devices than seats; before an enrollment, also when none is left. */
export function SeatsNotice({
  companyId,
  isEnrolling = false,
}: {
  companyId: string
  isEnrolling?: boolean
}) {
  const { t } = useTranslation('agents')
  const { query } = useOne<Seats>({
    resource: 'companies',
    id: companyId,
    meta: { select: 'id,name,seats,device_count,seats_left' },
  })
  const company = query.data?.data
  const left = company?.seats_left ?? null
  if (!company || left === null || left > 0 || (left === 0 && !isEnrolling)) return null
  return (
    <div style={{ marginBlockEnd: 16 }}>
      <Notice
        tone="warning"
        role="status"
        title={t('seats.title', {
          count: company.seats ?? 0,
          used: company.device_count,
          seats: company.seats,
        })}
        text={left < 0 ? t('seats.text', { company: company.name }) : t('seats.last')}
      />
    </div>
  )
}
