import { afterAll, beforeAll, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'
import { addDevice, type Person, signIn } from '../files/support'

let backend: TestBackend
let company: string
let desk: Person
let requester: Person
let stranger: Person
let device: string
let ticket: string

const newTicket = async (subject: string, requesterId: string | null, on: string | null) => {
  const [made] = await backend.sql<{ id: string }>(
    `insert into public.tickets (company_id, subject, requester_id, device_id) values ($1, $2, $3, $4) returning id`,
    [company, subject, requesterId, on],
  )
  return made?.id ?? ''
}
const run = ({ client }: Person, on = ticket, args: object = {}) =>
  client.rpc('run_on_ticket', {
    ticket_id: on,
    call: 'run_command',
    args: { type: 'Bash', command: 'uptime', device_ids: [device], ...args },
  })
const count = async (table: string) =>
  Number((await backend.sql<{ count: string }>(`select count(*) from public.${table}`))[0]?.count)
const sideOf = async ({ client }: Person, id = ticket) =>
  (await client.rpc('ticket_side', { ticket_id: id }).throwOnError()).data

beforeAll(async () => {
  backend = await testBackend({ demo: false })
  company = await createCompany(backend)
  desk = await signIn(backend, 'Teknik', company)
  requester = await signIn(backend, 'Standard', company)
  stranger = await signIn(backend, 'Admin', await createCompany(backend))
  device = await addDevice(backend, company)
  await backend.sql(`update public.devices set platform = 'linux' where id = $1`, [device])
  ticket = await newTicket('The fan is loud', requester.id, device)
}, 120_000)
afterAll(() => backend?.stop())

it('a run from a ticket is linked to it, shown beside it and told by its activity', async () => {
  const { data: job, error } = await run(desk)
  expect(error).toBeNull()
  expect((await desk.client.from('ticket_jobs').select('ticket_id,job_id')).data).toEqual([
    { ticket_id: ticket, job_id: job },
  ])
  const side = await sideOf(desk)
  expect(side.jobs).toMatchObject([
    { id: job, name: 'uptime', outcome: 'running', total: 1, run_status: 'queued' },
  ])
  expect(side.runs).toMatchObject([{ job_id: job, status: 'queued' }])
  expect(side.device).toMatchObject({ id: device, status: 'offline' })
  const [entry] = await backend.sql<{ changes: unknown; actor_id: string }>(
    `select changes, actor_id from public.audit_log where table_name = 'tickets' and row_id = $1 and changes ? 'jobs'`,
    [ticket],
  )
  expect(entry).toEqual({ changes: { jobs: [[], [job]] }, actor_id: desk.id })
})

it('the link fails with the run and the run with the link', async () => {
  const [jobs, links] = [await count('jobs'), await count('ticket_jobs')]
  expect((await run(desk, ticket, { command: ' ' })).error?.code).toBe('23514')
  expect((await run(desk, '00000000-0000-4000-8000-000000000000')).error?.hint).toBe('ticket_gone')
  expect([await count('jobs'), await count('ticket_jobs')]).toEqual([jobs, links])
})

it('the requester, who may edit the ticket, runs nothing and sees neither jobs nor device', async () => {
  const jobs = await count('jobs')
  expect((await run(requester)).error?.code).toBe('42501')
  expect(await count('jobs')).toBe(jobs)
  expect((await requester.client.from('ticket_jobs').select('job_id')).data).toEqual([])
  const side = await sideOf(requester)
  expect(side).toMatchObject({ device: null, devices: [], alerts: [], runs: [], jobs: [] })
})

it('the requester part names other tickets of the person, unresolved ones first', async () => {
  const other = await newTicket('Another one', requester.id, null)
  await newTicket('Of somebody else', null, null)
  expect((await sideOf(desk)).tickets).toMatchObject([{ id: other, subject: 'Another one', status: 'new' }])
})

it('other tickets of the requester have the names of the company’s own statuses', async () => {
  const other = await newTicket('The screen flickers', requester.id, null)
  await backend.sql(
    `with s as (insert into public.ticket_statuses (company_id, name, kind, color) values ($1, 'At the vendor', 'waiting', '#aa5500') returning id)
     update public.tickets t set status_id = s.id from s where t.id = $2`,
    [company, other],
  )
  const { tickets } = await sideOf(desk)
  expect(tickets.find(({ id }: { id: string }) => id === other)).toMatchObject({
    status: 'waiting',
    status_name: 'At the vendor',
    status_color: '#aa5500',
  })
})

it('a stranger reaches and links nothing', async () => {
  expect((await run(stranger)).error?.hint).toBe('ticket_gone')
  expect((await stranger.client.rpc('ticket_side', { ticket_id: ticket })).error?.hint).toBe('ticket_gone')
  expect((await stranger.client.from('ticket_jobs').select('job_id')).data).toEqual([])
  const [job] = await backend.sql<{ id: string }>('select id from public.jobs limit 1')
  const forged = { company_id: company, ticket_id: ticket, job_id: job?.id }
  expect((await stranger.client.from('ticket_jobs').insert(forged)).error).not.toBeNull()
  // The requester edits the ticket, and did not start this job.
  const other = await newTicket('Linked by hand', requester.id, null)
  expect(
    (await requester.client.from('ticket_jobs').insert({ ...forged, ticket_id: other })).error?.code,
  ).toBe('42501')
})
