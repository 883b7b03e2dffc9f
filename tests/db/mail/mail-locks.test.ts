import postgres, { type Sql } from 'postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'

/** Only PostgreSQL has a second session that could wait. */
describe.each(drivers('locks').filter((driver) => driver === 'postgres'))('mails on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let person: { id: string; email: string }
  let deleter: Sql
  let mailer: Sql

  const one = async <Row>(sql: string, params: readonly unknown[] = []): Promise<Row> => {
    const [row] = await backend.sql<Row>(sql, params)
    if (!row) throw new Error('no row')
    return row
  }

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    // The server would take the mails first.
    await backend.sql('alter table app.ticket_mails disable trigger ticket_mails_wake')
    company = await createCompany(backend)
    person = await createAccount(backend, 'Teknik', company)
    deleter = postgres(backend.databaseUrl ?? '', { max: 1 })
    mailer = postgres(backend.databaseUrl ?? '', { max: 1, connection: { lock_timeout: 3000 } })
  })
  afterAll(async () => {
    await Promise.all([deleter?.end(), mailer?.end()])
    await backend?.stop()
  })

  const ticketMail = async () => {
    const ticket = await one<{ id: string }>(
      `insert into public.tickets (company_id, subject, description, requester_id) values ($1, 'Toner', 'It is empty.', $2) returning id`,
      [company, person.id],
    )
    await backend.sql('delete from app.ticket_mails where ticket_id = $1', [ticket.id])
    const mail = await one<{ id: string }>(
      `insert into app.ticket_mails (company_id, ticket_id, user_id, email, events, next_attempt_at) values ($1, $2, $3, $4, '{assigned}', now() + interval '1 hour') returning id::text`,
      [company, ticket.id, person.id, person.email],
    )
    await backend.sql('update app.ticket_mails set next_attempt_at = now() where id = $1', [mail.id])
    return { ticket: ticket.id, mail: mail.id }
  }
  const take = async () =>
    (await mailer<{ id: string }[]>`select id::text from app.take_ticket_mails('desk.test')`).map(
      ({ id }) => id,
    )

  it.each(['tickets', 'profiles'])(
    'of a ticket are taken without waiting for somebody who deletes a row of %s',
    async (table) => {
      const { ticket, mail } = await ticketMail()
      // A deletion locks its row first and the mails that go with it afterwards.
      await deleter.begin(async (sql) => {
        await sql.unsafe(`select 1 from public.${table} where id = $1 for update`, [
          table === 'tickets' ? ticket : person.id,
        ])
        expect(await take()).toEqual([mail])
        // The first deletion moves the ticket to the trash.
        for (const _ of [1, 2])
          if (table === 'tickets') await sql`delete from public.tickets where id = ${ticket}`
      })
      const left = await backend.sql<{ attempts: number }>(
        'select attempts from app.ticket_mails where id = $1',
        [mail],
      )
      expect(left).toEqual(table === 'tickets' ? [] : [{ attempts: 1 }])
    },
  )

  it('count each attempt once, and leave a mail beyond the limit of a minute for later', async () => {
    await backend.sql('delete from app.ticket_mails where company_id = $1', [company])
    for (let sent = 0; sent < 6; sent += 1) await ticketMail()
    expect(await take()).toHaveLength(5)
    const counted = await backend.sql<{ attempts: number; is_sent: boolean; is_later: boolean }>(
      `select attempts, sent_at is not null as is_sent, next_attempt_at > now() as is_later from app.ticket_mails where company_id = $1 order by id`,
      [company],
    )
    expect(counted).toEqual(
      Array.from({ length: 6 }, (_, place) => ({
        attempts: place < 5 ? 1 : 0,
        is_sent: place < 5,
        is_later: true,
      })),
    )
    expect(await take()).toEqual([])
  })

  it('about alerts leave an account that is being deleted alone', async () => {
    const other = await createAccount(backend, 'Teknik', company)
    await backend.sql('delete from app.notices where company_id = $1', [company])
    for (const { id } of [person, other])
      await backend.sql(
        `insert into app.notices (kind, user_id, company_id, subject_id, record_ids, records, by_mail, next_attempt_at)
         values ('tickets', $1, $2, $2, array[$2::uuid], 1, true, now())`,
        [id, company],
      )
    await deleter.begin(async (sql) => {
      await sql`select 1 from public.profiles where id = ${other.id} for update`
      const taken = await mailer<{ email: string }[]>`select email from app.take_notices()`
      expect(taken.map(({ email }) => email)).toEqual([person.email])
      await sql`delete from public.profiles where id = ${other.id}`
    })
    expect(await backend.sql('select 1 from app.notices where user_id = $1', [other.id])).toEqual([])
  })
})
