import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'
import { callRpc } from '@/data/rpc'
import type { RunStatus } from './run-status'

/** A run without its output: a list of a thousand runs must not carry a thousand outputs. */
export type Run = {
  id: string
  company_id: string
  job_id: string
  device_id: string
  status: RunStatus
  attempt: number
  queued_at: string
  started_at: string | null
  finished_at: string | null
  exit_code: number | null
  error: string | null
  cancel_requested_at: string | null
}

export type RunWithDevice = Run & { device: { id: string; name: string; status: string } | null }
export type RunRecord = RunWithDevice & {
  procedure_id: string | null
  job: { id: string; name: string; script_type: string } | null
}
export type RunOutput = { output: string | null; output_truncated: boolean; error: string | null }

export type Job = {
  id: string
  company_id: string
  name: string
  procedure_id: string | null
  parameters: Record<string, unknown>
  status: 'running' | 'finished' | 'cancelled'
  created_at: string
  expires_at: string | null
}

const RUN =
  'id,company_id,job_id,device_id,status,attempt,queued_at,started_at,finished_at,exit_code,error,cancel_requested_at'
const WITH_DEVICE = `${RUN},device:devices(id,name,status)`
const WHOLE = `${RUN},procedure_id,device:devices(id,name,status),job:jobs(id,name,script_type)`

/** The most targets one job can have, so that its runs come in one answer. */
const MOST_RUNS = 1000
/** How far back the exit codes are counted: enough to judge a script by, small enough to read at once. */
export const HISTORY_RUNS = 500

export async function readJob(jobId: string): Promise<Job> {
  const { data, error, status } = await supabase
    .from('jobs')
    .select('id,company_id,name,procedure_id,parameters,status,created_at,expires_at')
    .eq('id', jobId)
    .single<Job>()
  if (error) throw toDataError(error, status)
  return data
}

export async function readJobRuns(jobId: string, companyId: string): Promise<RunWithDevice[]> {
  const { data, error, status } = await supabase
    .from('job_runs')
    .select(WITH_DEVICE)
    .eq('company_id', companyId)
    .eq('job_id', jobId)
    .order('id')
    .limit(MOST_RUNS)
    .overrideTypes<RunWithDevice[], { merge: false }>()
  if (error) throw toDataError(error, status)
  return [...data].sort((a, b) => (a.device?.name ?? '').localeCompare(b.device?.name ?? ''))
}

export async function readRunOutput(runId: string): Promise<RunOutput> {
  const { data, error, status } = await supabase
    .from('job_runs')
    .select('output,output_truncated,error')
    .eq('id', runId)
    .single<RunOutput>()
  if (error) throw toDataError(error, status)
  return data
}

/** One run with everything that names it, whatever list it was opened from. */
export async function readRun(runId: string): Promise<RunRecord> {
  const { data, error, status } = await supabase
    .from('job_runs')
    .select(WHOLE)
    .eq('id', runId)
    .single<RunRecord>()
  if (error) throw toDataError(error, status)
  return data
}

/** The latest runs of a procedure, newest first, with their devices. */
export async function readProcedureRuns(procedureId: string, companyId: string): Promise<RunWithDevice[]> {
  const { data, error, status } = await supabase
    .from('job_runs')
    .select(WITH_DEVICE)
    .eq('company_id', companyId)
    .eq('procedure_id', procedureId)
    .order('queued_at', { ascending: false })
    .order('id')
    .limit(HISTORY_RUNS)
    .overrideTypes<RunWithDevice[], { merge: false }>()
  if (error) throw toDataError(error, status)
  return data
}

export const cancelRun = (runId: string): Promise<unknown> => callRpc('cancel_run', { run_id: runId })
export const cancelJob = (jobId: string): Promise<unknown> => callRpc('cancel_job', { job_id: jobId })
