import { JobProgress } from '@/runs/progress/job-progress'
import css from './jobs.module.css'

type Props = { record: { id?: unknown; company_id?: unknown }; resource: string }

/** A task's page: its devices with state, exit code and output. */
export function ResultsTab({ record }: Props) {
  return (
    <section className={`k-section ${css.wide}`}>
      <JobProgress jobId={String(record.id)} companyId={String(record.company_id)} />
    </section>
  )
}
