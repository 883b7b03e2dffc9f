import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll } from 'vitest'
import { createCompany } from '../../support/accounts'
import { type Driver, type TestBackend, testBackend } from '../../support/backend'
import { patience } from '../../support/patience'
import { type Person, signIn } from '../files/support'

export interface Outcome {
  id: string
  outcome: string
  reason: { code: string; hint: string | null; message: string } | null
}

export let backend: TestBackend
export let company: string
export let other: string
export let admin: Person
export let second: Person
export let teknik: Person
export let standard: Person
export let stranger: Person
export let superAdmin: Person
let category: string

export const one = async <R>(query: string, params: unknown[] = []) =>
  (await backend.sql<R>(query, params))[0] as R
export const made = async (query: string, params: unknown[] = []) =>
  (await one<{ id: string }>(query, params)).id
export const ticket = (subject: string, more: { requester?: string; status?: string } = {}) =>
  made(
    `insert into public.tickets (company_id, subject, category_id, requester_id, status) values ($1, $2, $3, $4, $5) returning id`,
    [company, subject, category, more.requester ?? null, more.status ?? 'open'],
  )
export const command = (name: string) =>
  made(
    `insert into public.saved_commands (company_id, name, command) values ($1, $2, 'hostname') returning id`,
    [company, name],
  )
export const call = async (client: SupabaseClient, name: string, resource: string, ids: string[]) =>
  (await client.rpc(name, { resource, ids }).throwOnError()).data as Outcome[]
export const remove = (client: SupabaseClient, resource: string, ...ids: string[]) =>
  call(client, 'bulk_delete', resource, ids)
export const restore = (client: SupabaseClient, resource: string, ...ids: string[]) =>
  call(client, 'restore_records', resource, ids)
export const purge = (client: SupabaseClient, resource: string, ...ids: string[]) =>
  call(client, 'purge_records', resource, ids)
export const trashOf = async (client: SupabaseClient, resource: string, more: object = {}) =>
  ((await client.rpc('trash', { resource, ...more }).throwOnError()).data ?? []) as {
    id: string
    deleted_name: string
    ends_at: string
    deleted_at: string
    record: Record<string, unknown>
    total: number
  }[]
export const isThere = async (client: SupabaseClient, table: string, id: string) =>
  ((await client.from(table).select('id').eq('id', id).throwOnError()).data ?? []).length === 1

/** A backend with a company and its people, a stranger of another company and a Super Admin. */
export function openTrash(driver: Driver): void {
  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    ;[company, other] = [await createCompany(backend), await createCompany(backend)]
    admin = await signIn(backend, 'Admin', company)
    second = await signIn(backend, 'Admin', company)
    teknik = await signIn(backend, 'Teknik', company)
    standard = await signIn(backend, 'Standard', company)
    stranger = await signIn(backend, 'Admin', other)
    superAdmin = await signIn(backend, 'Super Admin', null)
    category = await made(
      `insert into public.ticket_categories (company_id, name) values ($1, 'Printers') returning id`,
      [company],
    )
  }, patience(120_000))
  afterAll(() => backend?.stop())
}
