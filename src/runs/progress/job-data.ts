import { useList, useOne } from '@refinedev/core'
import { useMemo } from 'react'
import type { TableRow } from '@/data/database'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { compareDevices } from './arrange-runs'
import { isOpen, type RunStatus, URGENT_STATUSES } from './run-status'

/** A run without its output: a list of a thousand runs must not carry a thousand outputs. */
export type Run = Pick<
  TableRow<'job_runs'>,
  | 'id'
  | 'company_id'
  | 'job_id'
  | 'device_id'
  | 'attempt'
  | 'queued_at'
  | 'started_at'
  | 'finished_at'
  | 'exit_code'
  | 'error'
  | 'cancel_requested_at'
  | 'start_after'
  | 'waits_for'
> & { status: RunStatus }

export type RunWithDevice = Run & { device: Pick<TableRow<'devices'>, 'id' | 'name' | 'status'> | null }
export type RunRecord = RunWithDevice & {
  procedure_id: string | null
  job: Pick<TableRow<'jobs'>, 'id' | 'name' | 'script_type'> | null
}
export type RunOutput = Pick<
  TableRow<'job_runs'>,
  'id' | 'output' | 'output_truncated' | 'error' | 'started_at'
> & {
  device: Pick<TableRow<'devices'>, 'status' | 'offline_since'> | null
  job: Pick<TableRow<'jobs'>, 'expires_at'> | null
}

type Job = Pick<
  TableRow<'jobs'>,
  | 'id'
  | 'name'
  | 'expires_at'
  | 'total'
  | 'succeeded'
  | 'failed'
  | 'canceled'
  | 'max_running'
  | 'left_out'
  | 'left_full'
  | 'platforms'
  | 'procedure_id'
> & { parameters: Record<string, unknown> }

const RUN =
  'id,company_id,job_id,device_id,status,attempt,queued_at,started_at,finished_at,exit_code,error,cancel_requested_at,start_after,waits_for'
const WITH_DEVICE = `${RUN},device:devices(id,name,status)`
const WHOLE = `${RUN},procedure_id,device:devices(id,name,status),job:jobs(id,name,script_type)`

const JOB =
  'id,name,parameters,expires_at,total,succeeded,failed,canceled,max_running,left_out,left_full,platforms,procedure_id'

/** A larger job shows its counters, and the list of runs shows the rest. */
export const MAX_RUNS_LISTED = 1000
/**
 * The number of runs for which exit codes are counted: enough to judge a script, few enough for one request.
 */
const MAX_RESULTS = 500
/** A lost live message must not leave a run "running" indefinitely. */
const FALLBACK_POLL_MS = 10_000
const OUTPUT_POLL_MS = 2000
/** Somebody waits for this one device. */
const AT_ONCE_MS = 50

/** A task and its runs, polled until the last one has ended. */
export function useJob(jobId: string, companyId: string) {
  const { query: job } = useOne<Job>({
    resource: 'jobs',
    id: jobId,
    meta: { companyId, select: JOB },
  })
  const { query: runs } = useList<RunWithDevice>({
    resource: 'job_runs',
    filters: [{ field: 'job_id', operator: 'eq', value: jobId }],
    // In the order of the one index that has the runs of a job together.
    sorters: [{ field: 'device_id', order: 'asc' }],
    pagination: { mode: 'off' },
    meta: { companyId, select: WITH_DEVICE, limit: MAX_RUNS_LISTED, count: 'none' },
    queryOptions: {
      refetchInterval: ({ state }) =>
        state.data?.data.some((run) => isOpen(run.status)) ? FALLBACK_POLL_MS : false,
    },
  })
  // The list of a larger job may hold none of those that its page shows first.
  const isLarge = (job.data?.data.total ?? 0) > MAX_RUNS_LISTED
  const { query: urgent } = useList<RunWithDevice>({
    resource: 'job_runs',
    filters: [
      { field: 'job_id', operator: 'eq', value: jobId },
      { field: 'status', operator: 'in', value: URGENT_STATUSES },
    ],
    sorters: [{ field: 'device_id', order: 'asc' }],
    pagination: { mode: 'off' },
    meta: { companyId, select: WITH_DEVICE, limit: MAX_RUNS_LISTED, count: 'none' },
    queryOptions: { enabled: isLarge, refetchInterval: FALLBACK_POLL_MS },
  })
  useLiveRefresh(companyId, ['job_runs', 'jobs'], [job, runs, urgent])
  const found = runs.data?.data
  const first = isLarge ? urgent.data?.data : undefined
  const rows = useMemo(() => {
    const listed = new Set(found?.map(({ id }) => id))
    return found && [...found, ...(first ?? []).filter(({ id }) => !listed.has(id))].toSorted(compareDevices)
  }, [found, first])
  return { job, runs, rows }
}

/**
 * The run of a task on a single device, with its output in the same answer. It is followed until it has ended: a page
 * with many of them, such as a terminal, asks for the one that runs.
 */
export function useSingleRun(jobId: string, companyId: string) {
  const { query } = useList<RunWithDevice & Pick<RunOutput, 'output'>>({
    resource: 'job_runs',
    filters: [{ field: 'job_id', operator: 'eq', value: jobId }],
    sorters: [{ field: 'device_id', order: 'asc' }],
    pagination: { mode: 'off' },
    meta: { companyId, select: `${WITH_DEVICE},output`, limit: 1, count: 'none' },
    queryOptions: {
      refetchInterval: ({ state }) =>
        state.data?.data.some((run) => !isOpen(run.status)) ? false : OUTPUT_POLL_MS,
    },
  })
  const run = query.data?.data[0]
  const isOver = run !== undefined && !isOpen(run.status)
  useLiveRefresh(companyId, isOver ? [] : ['job_runs'], [query], AT_ONCE_MS)
  return { query, run }
}

/** How the latest runs of a procedure ended, newest first. */
export function useLatestResults(procedureId: string, companyId: string) {
  const { query } = useList<Pick<Run, 'id' | 'device_id' | 'status' | 'exit_code'>>({
    resource: 'job_runs',
    filters: [{ field: 'procedure_id', operator: 'eq', value: procedureId }],
    sorters: [
      { field: 'queued_at', order: 'desc' },
      { field: 'id', order: 'asc' },
    ],
    pagination: { mode: 'off' },
    meta: { companyId, select: 'id,device_id,status,exit_code', limit: MAX_RESULTS, count: 'none' },
  })
  useLiveRefresh(companyId, ['job_runs'], [query])
  return query
}

/** Reads a run with everything that names it, whatever list it was opened from. */
export function useRun(runId: string, companyId: string) {
  const { query } = useOne<RunRecord>({
    resource: 'job_runs',
    id: runId,
    meta: { companyId, select: WHOLE },
  })
  useLiveRefresh(companyId, ['job_runs'], [query])
  return query
}

/** The output of a run. Read when shown, and again when the run changes state. */
export function useRunOutput({
  id,
  company_id,
  status,
}: Pick<Run, 'id' | 'company_id'> & { status: string }) {
  const { query } = useOne<RunOutput>({
    resource: 'job_runs',
    id,
    // The data provider ignores the state: it only makes a separate query key.
    meta: {
      companyId: company_id,
      select:
        'id,output,output_truncated,error,started_at,device:devices(status,offline_since),job:jobs(expires_at)',
      status,
    },
    queryOptions: {
      refetchInterval: isOpen(status) ? OUTPUT_POLL_MS : false,
      // The output of a running script stays until its result is there.
      placeholderData: (before) => (before?.data.id === id ? before : undefined),
    },
  })
  return query
}
