import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { RecordLink } from '@/resource/fields/relation/record-link'
import { relatedRow } from '@/resource/request/query/values'
import { RunOutputView } from '@/runs/output/run-output'
import { RunFacts } from '@/runs/progress/run-facts'
import css from '@/runs/progress/runs.module.css'
import { RunAgain } from '@/runs/start/run-again'
import jobsCss from './jobs.module.css'

type Props = { record: Row; resource: string }

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** A run's page: where it ran, how it ended and what it printed. */
export function RunOutputTab({ record }: Props) {
  const { t } = useTranslation('jobs')
  const device = relatedRow(record, 'device_id')
  const deviceId = textOf(record.device_id)
  const run = {
    id: String(record.id),
    company_id: String(record.company_id),
    status: String(record.status),
    queued_at: String(record.queued_at),
    started_at: textOf(record.started_at),
    finished_at: textOf(record.finished_at),
    exit_code: typeof record.exit_code === 'number' ? record.exit_code : null,
  }
  return (
    <section className={`k-section l-stack ${jobsCss.wide}`}>
      <div className={css.facts}>
        {deviceId === null ? null : (
          <span>
            {t('run.device')} <RecordLink to="devices" id={deviceId} row={device} />
          </span>
        )}
        <RunFacts run={run} />
      </div>
      <RunOutputView run={run} deviceName={textOf(device?.name) ?? t('run.noDevice')} height={480} />
      <RunAgain
        procedureId={textOf(record.procedure_id)}
        deviceIds={deviceId === null ? [] : [deviceId]}
        error={textOf(record.error)}
      />
    </section>
  )
}
