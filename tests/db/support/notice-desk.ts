import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { type Account, createAccount, createCompany } from '../../support/accounts'
import { type Driver, type TestBackend, testBackend } from '../../support/backend'
import { type Device, fleetOf } from './agent-functions-fleet'

export let backend: TestBackend
export let company: string
export let fleet: ReturnType<typeof fleetOf>
export let device: Device
export let admin: Account
export let teknik: Account
export let standard: Account

export const rows = <R>(query: string, ...params: unknown[]) =>
  backend.sql<R & Record<string, unknown>>(query, params)
export const createMonitor = async (values: Record<string, unknown> = {}): Promise<string> => {
  const row = {
    type: 'Process',
    process_name: 'cron',
    name: `M ${randomUUID()}`,
    company_id: company,
    severity: 'critical',
    ...values,
  }
  const names = Object.keys(row)
  const [made] = await rows<{ id: string }>(
    `insert into public.monitors (${names.join(', ')}) values (${names.map((_, n) => `$${n + 1}`).join(', ')}) returning id`,
    ...Object.values(row),
  )
  return made?.id ?? ''
}
export const report = (monitor: string, state: string, message = 'cron is not running', of = device) =>
  fleet.checkIn(of, { monitors_hash: null, monitor_states: [{ monitor_id: monitor, state, message }] })
export const bells = (person: Account) =>
  rows<{ kind: string; params: Record<string, unknown>; link: string }>(
    `select kind, params, link from public.notifications where user_id = $1 and kind ~ '^(alert|ticket)s?_opened' order by created_at`,
    person.id,
  )
/** Lets the five minutes of every message pass, and waits for the mails. */
export const mailsTo = async (person: Account) => {
  await backend.sql(`update app.notices set next_attempt_at = now(), closes_at = now()`)
  await backend.sql(`select pg_notify('konsol_mail', '')`)
  await expect
    .poll(
      async () =>
        (
          await rows(
            `select 1 from app.notices where by_mail and status = 'queued' and next_attempt_at <= now()`,
          )
        ).length,
      { timeout: 20_000 },
    )
    .toBe(0)
  await expect
    .poll(
      async () =>
        (
          await rows(
            `select 1 from app.notices where by_mail and status = 'queued' and not (is_digest and attempts = 0)`,
          )
        ).length,
      {
        timeout: 20_000,
      },
    )
    .toBe(0)
  return backend.mails().filter(({ to }) => to === person.email)
}
export const newCompany = async () => {
  company = await createCompany(backend)
  fleet = fleetOf(backend, company)
  device = await fleet.enroll()
  admin = await createAccount(backend, 'Admin', company)
  teknik = await createAccount(backend, 'Teknik', company)
  standard = await createAccount(backend, 'Standard', company)
}

/** A backend of the file's own; a test makes its company with `newCompany()`. */
export function openNoticeDesk(driver: Driver): void {
  beforeAll(async () => {
    backend = await testBackend({ driver })
  })
  afterAll(() => backend?.stop())
}
