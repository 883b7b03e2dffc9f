import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'
import { type AsUser, asUser, insertInto } from '../support/as-user'

interface Entry {
  actor_id: string | null
  actor_email: string | null
  table_name: string
  row_id: string
  action: string
  changes: Record<string, [unknown, unknown]>
}

describe('what a change leaves behind', () => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let admin: { id: string; email: string }

  beforeAll(async () => {
    backend = await testBackend({ demo: false })
    as = await asUser(backend)
    company = await createCompany(backend)
    admin = await createAccount(backend, 'Admin', company)
  })
  afterAll(() => backend?.stop())

  const ENTRIES = 'select actor_id, actor_email, table_name, row_id, action, changes from public.audit_log'
  /** The entries that a user's statement adds to the audit log, seen before the statement is taken back. */
  async function audited(statement: string, who: string | null = admin.id): Promise<Entry[]> {
    await backend.sql('delete from public.audit_log where true')
    const answer = await as(who, statement, `${ENTRIES} order by row_id`)
    expect(answer.code, answer.message).toBeUndefined()
    return (answer.probe ?? []) as unknown as Entry[]
  }
  async function device(): Promise<string> {
    const [row] = await backend.sql<{ id: string }>(
      `insert into public.devices (company_id, name, notes) values ($1, 'PC', 'before') returning id`,
      [company],
    )
    return row?.id ?? ''
  }

  describe('in the audit log', () => {
    it('is who, what and the fields that differ', async () => {
      const id = await device()
      expect(
        await audited(`update public.devices set name = 'Renamed', notes = notes where id = '${id}'`),
      ).toEqual([
        {
          actor_id: admin.id,
          actor_email: admin.email,
          table_name: 'devices',
          row_id: id,
          action: 'edit',
          changes: { name: ['PC', 'Renamed'] },
        },
      ])
    })

    it('names the record, also where only a link to it changes, and after it is gone', async () => {
      const id = await device()
      const named = async (statement: string) => {
        await backend.sql('delete from public.audit_log where true')
        const probe = 'select table_name, row_name from public.audit_log order by table_name'
        const answer = await as(admin.id, statement, probe)
        expect(answer.message).toBeUndefined()
        return answer.probe
      }
      expect(await named(`update public.devices set name = 'Renamed' where id = '${id}'`)).toEqual([
        { table_name: 'devices', row_name: 'Renamed' },
      ])
      expect(await named(`delete from public.devices where id = '${id}'`)).toContainEqual({
        table_name: 'devices',
        row_name: 'PC',
      })
      const [group] = await backend.sql<{ id: string }>(
        `insert into public.groups (company_id, name) values ($1, 'Servers') returning id`,
        [company],
      )
      const link = { company_id: company, group_id: group?.id, device_id: id }
      expect(await named(insertInto('group_devices', link))).toContainEqual({
        table_name: 'group_devices',
        row_name: 'Servers',
      })
    })

    it('is one row a record, for creating and deleting too', async () => {
      await device()
      await device()
      const deleted = await audited(`delete from public.devices where company_id = '${company}'`)
      expect(deleted.length).toBeGreaterThanOrEqual(2)
      expect(deleted[0]).toMatchObject({
        action: 'delete',
        changes: { name: ['PC', null], notes: ['before', null] },
      })
      const [made] = await audited(insertInto('groups', { company_id: company, name: 'New' }))
      expect(made).toMatchObject({ action: 'create', table_name: 'groups', changes: { name: [null, 'New'] } })
    })

    it('is nothing when nothing changed', async () => {
      const id = await device()
      expect(await audited(`update public.devices set name = name where id = '${id}'`)).toEqual([])
    })

    it('is nothing for what machines report', async () => {
      await device()
      await backend.sql('delete from public.audit_log where true')
      await backend.sql(
        `update public.devices set os = 'Ubuntu', status = 'online', offline_since = null, ip_address = '10.0.0.9' where company_id = $1`,
        [company],
      )
      expect(await backend.sql(ENTRIES)).toEqual([])
    })

    it('never holds a secret, and only the beginning of a long text', async () => {
      const parameters = [{ name: 'api_key', kind: 'secret', label: 'Key' }]
      const [made] = await audited(
        insertInto('procedures', {
          company_id: company,
          name: 'Long',
          type: 'Bash',
          script: `#${'x'.repeat(50_000)}`,
          parameters,
        }),
      )
      expect(JSON.stringify(made).length).toBeLessThan(4000)
      expect(String(made?.changes.script?.[1])).toMatch(/^#x{900,}…$/)
      const token = await audited(`select public.create_enrollment_token('${company}', 'Token') as made`)
      expect(token.map((entry) => entry.table_name)).toEqual(['enrollment_tokens'])
      expect(JSON.stringify(token)).not.toMatch(/kt_|[0-9a-f]{64}/)
    })

    it('knows the server’s own changes from a person’s', async () => {
      await backend.sql('delete from public.audit_log where true')
      await backend.sql(`update public.companies set status = 'Suspended' where id = $1`, [
        await createCompany(backend),
      ])
      expect(await backend.sql<Entry>(`${ENTRIES} where action = 'edit'`)).toMatchObject([
        { actor_id: null, actor_email: null, changes: { status: ['Active', 'Suspended'] } },
      ])
    })

    it('names the company of a person whose name changes', async () => {
      const statement = `update public.profiles set name = 'New name' where id = '${admin.id}'`
      const answer = await as(
        admin.id,
        statement,
        `select company_id from public.audit_log where table_name = 'profiles' and action = 'edit'`,
      )
      expect(answer.probe).toEqual([{ company_id: company }])
    })

    it('cannot be written, changed or emptied by anybody who signs in, nor silenced', async () => {
      const superAdmin = (await createAccount(backend, 'Super Admin', null)).id
      for (const statement of [
        `update public.audit_log set actor_email = 'x' where true`,
        'delete from public.audit_log where true',
      ])
        expect(await as(superAdmin, statement)).toMatchObject({ code: '42501' })
      const id = await device()
      await backend.sql(`select set_config('app.quiet', 'on', false)`)
      expect(await audited(`update public.devices set name = 'Loud' where id = '${id}'`)).toHaveLength(1)
      await backend.sql(`select set_config('app.quiet', '', false)`)
    })
  })

  describe('on the live channel', () => {
    let sent: string

    beforeAll(async () => {
      await backend.sql('create table if not exists test.live (topic text, payload jsonb)')
      await backend.sql('grant usage on schema test to public')
      await backend.sql('grant insert on test.live to public')
      await backend.sql(
        `create or replace function app.send_live(topic text, payload jsonb) returns void language sql as $$ insert into test.live values (topic, payload) $$`,
      )
      sent = `select topic, payload from test.live order by topic, payload::text`
    })
    /** Messages that one statement of the owner sends. */
    async function messages(
      statement: string,
    ): Promise<{ topic: string; payload: { table: string; op: string; ids: string[] } }[]> {
      await backend.sql('delete from test.live where true')
      await backend.sql(statement)
      return backend.sql(sent)
    }

    it('is one message a company a statement, to the company and to the platform', async () => {
      const other = await createCompany(backend)
      const [here, there] = [await device(), await device()]
      await backend.sql(`insert into public.devices (company_id, name) values ($1, 'Theirs')`, [other])
      const all = await messages(
        `update public.devices set notes = 'after' where company_id in ('${company}', '${other}')`,
      )
      const topics = all.map(({ topic }) => topic)
      expect(topics.sort()).toEqual([`company:${company}`, `company:${other}`, 'platform', 'platform'].sort())
      const mine = all.find(({ topic }) => topic === `company:${company}`)
      expect(mine?.payload).toMatchObject({ table: 'devices', op: 'update' })
      expect(mine?.payload.ids).toEqual(expect.arrayContaining([here, there]))
    })

    it('carries ids only, at most fifty', async () => {
      const many = await messages(
        `insert into public.devices (company_id, name) select '${company}', 'pc-' || n from generate_series(1, 51) n`,
      )
      expect(many.find(({ topic }) => topic !== 'platform')?.payload).toEqual({
        table: 'devices',
        op: 'insert',
        ids: [],
      })
      const few = await messages(`delete from public.devices where name in ('pc-1', 'pc-2')`)
      expect(few.find(({ topic }) => topic !== 'platform')?.payload.ids).toHaveLength(2)
      expect(JSON.stringify(few)).not.toContain('pc-1')
    })

    it('says nothing of presence or of a statement that hits no row', async () => {
      const id = await device()
      expect(
        await messages(
          `insert into public.device_presence (company_id, device_id) values ('${company}', '${id}')`,
        ),
      ).toEqual([])
      expect(
        await messages(`update public.device_presence set last_seen_at = now() where device_id = '${id}'`),
      ).toEqual([])
      expect(await messages(`update public.devices set notes = 'x' where false`)).toEqual([])
    })

    it('tells a person’s notifications to that person alone', async () => {
      const sentTo = await messages(
        `insert into public.notifications (user_id, company_id, kind) values ('${admin.id}', '${company}', 'welcome')`,
      )
      expect(sentTo.map(({ topic }) => topic)).toEqual([`user:${admin.id}`])
    })
  })
})
