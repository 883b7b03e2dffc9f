import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { sharedBackend, type TestBackend } from '../../support/backend'

export let backend: TestBackend
export let acme: string
export let globex: string
export let admin: SupabaseClient
export let teknik: SupabaseClient
export let standard: SupabaseClient
export let other: SupabaseClient
export let superAdmin: SupabaseClient

export const signedIn = async (role: string, company: string | null): Promise<SupabaseClient> =>
  backend.client((await createAccount(backend, role, company)).email)

/** Two companies with their people, for the tests of a file. */
export function openDesk(): void {
  beforeAll(async () => {
    backend = await sharedBackend()
    acme = await createCompany(backend)
    globex = await createCompany(backend)
    admin = await signedIn('Admin', acme)
    teknik = await signedIn('Teknik', acme)
    standard = await signedIn('Standard', acme)
    other = await signedIn('Admin', globex)
    superAdmin = await signedIn('Super Admin', null)
  })
  afterAll(() => backend.stop())
}

export async function idOf(query: string, params: readonly unknown[]): Promise<string> {
  const [row] = await backend.sql<{ id: string }>(query, params)
  if (!row) throw new Error(`No row: ${query}`)
  return row.id
}

export const createDevices = async (company: string, count: number): Promise<string[]> =>
  (
    await backend.sql<{ id: string }>(
      `insert into public.devices (company_id, name) select $1, 'PC-' || n from generate_series(1, $2) n returning id`,
      [company, count],
    )
  ).map(({ id }) => id)

export const createProcedure = (company: string, parameters: unknown[] = []): Promise<string> =>
  idOf(
    `insert into public.procedures (company_id, name, type, script, parameters)
     values ($1, 'Greet', 'Bash', 'echo hello', ($2::text)::jsonb) returning id`,
    [company, JSON.stringify(parameters)],
  )

export const run = (
  client: SupabaseClient,
  procedure: string,
  devices: string[],
  more: Record<string, unknown> = {},
) => client.rpc('run_procedure', { procedure_id: procedure, device_ids: devices, ...more })

export async function queued(devices: string[], more: Record<string, unknown> = {}): Promise<string> {
  const { data, error } = await run(admin, await createProcedure(acme), devices, more)
  if (error) throw error
  return data as string
}

export const job = async (id: string) =>
  (
    await backend.sql(
      'select status, outcome, total, succeeded, failed, canceled from public.jobs where id = $1',
      [id],
    )
  ).at(0)

export const runsOf = (jobId: string) =>
  backend.sql<{ id: string; status: string; device_id: string; error: string | null; cancel: boolean }>(
    `select id, status, device_id, error, cancel_requested_at is not null as cancel from public.job_runs
     where job_id = $1 order by queued_at, id`,
    [jobId],
  )

export const counts = async () =>
  (
    await backend.sql(
      'select (select count(*) from public.jobs)::int as jobs, (select count(*) from public.job_runs)::int as runs',
    )
  )[0]
