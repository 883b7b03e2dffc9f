import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPolicy } from '@/access/policy'
import type { Definition } from '@/resource/language/definition.generated'
import { meetsRowRule } from '@/resource/request/filter/row-rules'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, type TestBackend } from '../../support/backend'
import { asUser } from '../support/as-user'
import { differentialBackend, mapOf, ROLES, root } from './differential-roles'

describe.each(drivers())('database and browser cover the same rows, on %s', (driver) => {
  const tickets = JSON.parse(readFileSync(join(root, 'resources/tickets.json'), 'utf8')) as Definition
  const verbs = ['list', 'show', 'create', 'edit', 'delete', 'export', 'assign']
  let backend: TestBackend
  let compared = 0

  beforeAll(async () => {
    backend = await differentialBackend(driver)
    // Whether each verb covers each row, asked with the claims of the user and past row-level security.
    await backend.sql(`
    create function app.ask_rows(claims jsonb, ids uuid[], verbs text[]) returns jsonb language plpgsql as $$
    begin
      perform set_config('request.jwt.claims', claims::text, true),
        set_config('request.jwt.claim.sub', claims ->> 'sub', true);
      return jsonb_build_object('policy', public.my_policy(), 'rows', (
        select jsonb_object_agg(t.id || ' ' || v, app.tickets_covers(t, v))
        from public.tickets t cross join unnest(verbs) v where t.id = any (ids)));
    end $$`)
  })
  afterAll(async () => {
    console.log(`differential on ${driver}: ${compared} answers about rows compared`)
    await backend?.stop()
  })

  it.each([...ROLES, 'Super Admin'])('%s', async (role) => {
    const company = await createCompany(backend)
    const other = await createAccount(backend, 'Standard', company)
    const me = await createAccount(backend, role, role === 'Super Admin' ? null : company)
    const add = async (requester: string | null) => {
      const [row] = await backend.sql<{ id: string }>(
        `insert into public.tickets (company_id, subject, requester_id) values ($1, 'Row', $2) returning id`,
        [company, requester],
      )
      return row?.id ?? ''
    }
    const sample = [
      { id: await add(me.id), requester_id: me.id, watchers: [] as string[] },
      { id: await add(other.id), requester_id: other.id, watchers: [] },
      { id: await add(null), requester_id: null, watchers: [other.id] },
      { id: await add(other.id), requester_id: other.id, watchers: [other.id, me.id] },
    ]
    for (const { id, watchers } of sample)
      for (const watcher of watchers)
        await backend.sql(
          'insert into public.ticket_watchers (company_id, ticket_id, user_id) values ($1, $2, $3)',
          [company, id, watcher],
        )
    const [row] = await backend.sql<{ answer: { policy: unknown; rows: Record<string, boolean> } }>(
      'select app.ask_rows($1::text::jsonb, $2::uuid[], $3::text[]) as answer',
      [JSON.stringify({ sub: me.id }), sample.map(({ id }) => id), verbs],
    )
    const map = await mapOf(readPolicy(row?.answer.policy))
    const as = await asUser(backend)
    const listed = await as(me.id, `select id from public.tickets where company_id = '${company}'`)
    const wrong: unknown[] = []
    for (const { id, requester_id, watchers } of sample) {
      const record = { requester_id, watchers_row: watchers.map((user_id) => ({ user_id })) }
      for (const verb of verbs) {
        const rules = map.rules('tickets', verb)
        const isCovered =
          rules === null || rules.some((rule) => meetsRowRule(tickets, rule, record, me.id) === true)
        const browser = map.can('tickets', verb).allowed && isCovered
        const database = row?.answer.rows[`${id} ${verb}`]
        compared += 1
        if (browser !== database) wrong.push({ verb, record, browser, database })
        const isListed = (listed.data ?? []).some((each) => Reflect.get(Object(each), 'id') === id)
        if (verb === 'list' && isListed !== browser) wrong.push({ verb, record, browser, isListed })
      }
    }
    expect(wrong).toEqual([])
  })

  it.each([...ROLES, 'Super Admin'])('in the trash: %s', async (role) => {
    const company = await createCompany(backend)
    const other = await createAccount(backend, 'Standard', company)
    const stranger = await createAccount(backend, 'Admin', await createCompany(backend))
    const me = await createAccount(backend, role, role === 'Super Admin' ? null : company)
    const sample: { id: string; requester_id: string | null; watchers: string[] }[] = []
    for (const [requester_id, watchers] of [
      [me.id, []],
      [other.id, []],
      [null, [other.id]],
      [other.id, [other.id, me.id]],
    ] as const) {
      const [row] = await backend.sql<{ id: string }>(
        `insert into public.tickets (company_id, subject, requester_id) values ($1, 'Trashed', $2) returning id`,
        [company, requester_id],
      )
      const id = row?.id ?? ''
      sample.push({ id, requester_id, watchers: [...watchers] })
      for (const watcher of watchers)
        await backend.sql(
          'insert into public.ticket_watchers (company_id, ticket_id, user_id) values ($1, $2, $3)',
          [company, id, watcher],
        )
    }
    // As a deletion does: it marks the row.
    await backend.sql('delete from public.tickets where company_id = $1', [company])
    expect(
      await backend.sql('select 1 from public.tickets where company_id = $1 and deleted_at is not null', [
        company,
      ]),
    ).toHaveLength(sample.length)
    const ids = `array['${sample.map(({ id }) => id).join("','")}']::uuid[]`
    const [row] = await backend.sql<{ answer: { policy: unknown } }>(
      'select app.ask_rows($1::text::jsonb, $2::uuid[], $3::text[]) as answer',
      [JSON.stringify({ sub: me.id }), [], []],
    )
    const map = await mapOf(readPolicy(row?.answer.policy))
    const as = await asUser(backend)
    const idsOf = async (who: string, statement: string) => {
      const { data, code } = await as(who, statement)
      // Whoever may delete nothing is told so; everybody else is told of the rows of others as of none.
      expect([undefined, '42501']).toContain(code)
      return new Set((data ?? []).map((each) => String(Reflect.get(Object(each), 'id'))))
    }
    const statements = {
      seen: `select id from public.trash('tickets', null, '{}', ${ids})`,
      restored: `select id from public.restore_records('tickets', ${ids}) where outcome = 'changed'`,
      purged: `select id from public.purge_records('tickets', ${ids}) where outcome = 'deleted'`,
      listed: `select id from public.tickets where id = any (${ids})`,
      edited: `update public.tickets set subject = 'Changed' where id = any (${ids}) returning id`,
      deleted: `select id from public.bulk_delete('tickets', ${ids}) where outcome = 'deleted'`,
    }
    const found = new Map<string, Set<string>>()
    for (const [name, statement] of Object.entries(statements)) {
      found.set(name, await idsOf(me.id, statement))
      expect([name, [...(await idsOf(stranger.id, statement))]]).toEqual([name, []])
    }
    const covers = (verb: string, record: Record<string, unknown>) => {
      const rules = map.rules('tickets', verb)
      return (
        map.can('tickets', verb).allowed &&
        (rules === null || rules.some((rule) => meetsRowRule(tickets, rule, record, me.id) === true))
      )
    }
    const wrong: unknown[] = []
    for (const { id, requester_id, watchers } of sample) {
      const record = { requester_id, watchers_row: watchers.map((user_id) => ({ user_id })) }
      // A record in the trash is that of whoever might read and delete it if it were alive, and of nobody else.
      const isTheirs = covers('list', record) && covers('delete', record)
      for (const name of ['seen', 'restored', 'purged', 'listed', 'edited', 'deleted']) {
        const browser = ['seen', 'restored', 'purged'].includes(name) && isTheirs
        const database = found.get(name)?.has(id)
        compared += 1
        if (browser !== database) wrong.push({ name, record, browser, database })
      }
    }
    expect(wrong).toEqual([])
  })
})
