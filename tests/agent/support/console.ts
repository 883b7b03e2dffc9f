import { createHash, randomBytes } from 'node:crypto'
import type { TestBackend } from '../../support/backend'

type Sql = Pick<TestBackend, 'sql'>

interface TokenLimits {
  groupId?: string
  expiresAt?: string
  maxUses?: number
  isRevoked?: boolean
}

export async function one<R>(backend: Sql, query: string, params: readonly unknown[] = []): Promise<R> {
  const [row] = await backend.sql<R>(query, params)
  if (!row) throw new Error(`No row: ${query}`)
  return row
}

/** An enrollment token, made without the console's own permission checks. */
export async function createToken(
  backend: Sql,
  companyId: string,
  limits: TokenLimits = {},
): Promise<string> {
  const token = randomBytes(32).toString('hex')
  const { id } = await one<{ id: string }>(
    backend,
    `insert into public.enrollment_tokens (company_id, name, hint, group_id, expires_at, max_uses, revoked_at)
     values ($1, 'Test', 'test', $2, $3, $4, case when $5 then now() end) returning id`,
    [
      companyId,
      limits.groupId ?? null,
      limits.expiresAt ?? null,
      limits.maxUses ?? null,
      limits.isRevoked ?? false,
    ],
  )
  await backend.sql(
    'insert into app.enrollment_secrets (token_id, token_hash) values ($1, app.hash_secret($2))',
    [id, token],
  )
  return token
}

export interface Script {
  type?: string
  text: string
  timeoutSeconds?: number
  parameters?: Record<string, unknown>
  secrets?: Record<string, string>
  sha256?: string
}

/** A procedure, and a job of it on one device, as run_procedure would make them; gives the run's id. */
export async function queueRun(
  backend: Sql,
  companyId: string,
  deviceId: string,
  { type = 'Python', text, timeoutSeconds = 300, parameters = {}, secrets, sha256 }: Script,
): Promise<string> {
  const procedure = await one<{ id: string }>(
    backend,
    `insert into public.procedures (company_id, name, type, script, timeout_seconds)
     values ($1, 'Test procedure', $2, $3, $4) returning id`,
    [companyId, type, text, timeoutSeconds],
  )
  const job = await one<{ id: string }>(
    backend,
    `insert into public.jobs (company_id, kind, name, procedure_id, script_type, script, script_sha256,
       timeout_seconds, parameters, expires_at, total)
     values ($1, 'procedure', 'Test procedure', $2, $3, $4, $5, $6, ($7::text)::jsonb, now() + interval '1 day', 1) returning id`,
    [
      companyId,
      procedure.id,
      type,
      text,
      sha256 ?? createHash('sha256').update(text).digest('hex'),
      timeoutSeconds,
      JSON.stringify(parameters),
    ],
  )
  if (secrets)
    await backend.sql(
      'insert into app.job_secrets (job_id, company_id, parameters) values ($1, $2, ($3::text)::jsonb)',
      [job.id, companyId, JSON.stringify(secrets)],
    )
  const run = await one<{ id: string }>(
    backend,
    'insert into public.job_runs (company_id, job_id, device_id, procedure_id) values ($1, $2, $3, $4) returning id',
    [companyId, job.id, deviceId, procedure.id],
  )
  return run.id
}

export interface Run {
  status: string
  attempt: number
  exit_code: number | null
  output: string | null
  output_truncated: boolean
  error: string | null
  started_at: string | null
}

export const readRun = (backend: Sql, runId: string): Promise<Run> =>
  one<Run>(
    backend,
    'select status, attempt, exit_code, output, output_truncated, error, started_at from public.job_runs where id = $1',
    [runId],
  )

const OPEN = ['queued', 'claimed', 'running']

/** The run, once it has ended. */
export const endOf =
  (backend: Sql, runId: string): (() => Promise<Run | null>) =>
  async () => {
    const run = await readRun(backend, runId)
    return OPEN.includes(run.status) ? null : run
  }
