import { useQuery } from '@tanstack/react-query'
import { readJob, readJobRuns } from './job-data'
import { isOpen } from './run-status'
import { useLiveRefresh } from './use-live-refresh'

/** A lost live message must not leave a run "running" for ever. */
const FALLBACK_POLL_MS = 10_000

/** A job and its runs, followed until the last one has ended. */
export function useJob(jobId: string, companyId: string) {
  const jobKey = [companyId, 'jobs', jobId]
  const job = useQuery({ queryKey: jobKey, queryFn: () => readJob(jobId) })
  const runs = useQuery({
    queryKey: [...jobKey, 'runs'],
    queryFn: () => readJobRuns(jobId, companyId),
    refetchInterval: (query) =>
      query.state.data?.some((run) => isOpen(run.status)) ? FALLBACK_POLL_MS : false,
  })
  useLiveRefresh(companyId, ['job_runs', 'jobs'], jobKey)
  return { job, runs }
}
