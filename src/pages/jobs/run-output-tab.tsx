import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { relatedRow } from '@/resource/queries/values'
import { RunOutputView } from './run-output'

type Props = { record: Row; resource: string }

/** The output of one run, below its facts. */
export function RunOutputTab({ record }: Props) {
  const { t } = useTranslation('jobs')
  const device = relatedRow(record, 'device_id')
  return (
    <section className="k-section" style={{ maxWidth: '100%' }}>
      <h3>{t('output.label')}</h3>
      <RunOutputView
        run={{
          id: String(record.id),
          company_id: String(record.company_id),
          status: String(record.status),
        }}
        deviceName={typeof device?.name === 'string' ? device.name : t('run.noDevice')}
        height={420}
      />
    </section>
  )
}
