import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { drivers } from '../../support/backend'
import { PDF, type Person, upload } from '../files/support'
import { heardOf, listen } from '../support/live-ears'
import {
  admin,
  backend,
  command,
  company,
  isThere,
  made,
  one,
  openTrash,
  other,
  purge,
  remove,
  restore,
  second,
  standard,
  stranger,
  superAdmin,
  teknik,
  ticket,
  trashOf,
} from './support'

describe.each(drivers('locks', 'sessions', 'roles'))('the trash on %s', (driver) => {
  openTrash(driver)

  it('takes a record that is deleted and gives it back as it was', async () => {
    const id = await ticket('Comes back')
    const before = await one<Record<string, unknown>>('select * from public.tickets where id = $1', [id])
    expect(await remove(admin.client, 'tickets', id)).toEqual([{ id, outcome: 'deleted', reason: null }])
    expect(await isThere(admin.client, 'tickets', id)).toBe(false)
    const [kept] = await trashOf(admin.client, 'tickets', { fields: ['number', 'subject'] })
    expect(kept).toMatchObject({ id, record: { subject: 'Comes back', number: before.number } })
    expect(kept?.deleted_name).toMatch(/\S/)
    expect(Date.parse(kept?.ends_at ?? '') - Date.parse(kept?.deleted_at ?? '')).toBe(30 * 86_400_000)
    expect(await restore(second.client, 'tickets', id)).toEqual([{ id, outcome: 'changed', reason: null }])
    expect(await one('select * from public.tickets where id = $1', [id])).toEqual({
      ...before,
      updated_at: expect.anything(),
    })
    expect(await trashOf(admin.client, 'tickets')).toEqual([])
  })

  it('is searched by every word in the columns that were asked for, whatever their case', async () => {
    const printer = await ticket('Yazıcı çalışmıyor')
    const phone = await ticket('Telefon %50 yavaş')
    for (const id of [printer, phone]) await remove(admin.client, 'tickets', id)
    const found = async (q: string, fields = ['number', 'subject']) =>
      (await trashOf(admin.client, 'tickets', { fields, q })).map((row) => row.id)
    expect(await found('YAZICI çalış')).toEqual([printer])
    expect(await found('%')).toEqual([phone])
    expect(await found('yazıcı telefon')).toEqual([])
    expect(await found('yazıcı', ['number'])).toEqual([])
    expect((await trashOf(admin.client, 'tickets', { fields: ['subject'], q: 'telefon' }))[0]?.total).toBe(1)
    expect((await found('')).toSorted()).toEqual([printer, phone].toSorted())
    for (const id of [printer, phone]) await purge(admin.client, 'tickets', id)
  })

  it('also takes a record that is deleted by a plain request', async () => {
    const id = await command('By REST')
    await admin.client.from('saved_commands').delete().eq('id', id).throwOnError()
    expect(await isThere(admin.client, 'saved_commands', id)).toBe(false)
    expect((await trashOf(admin.client, 'saved_commands')).map((row) => row.id)).toEqual([id])
    await purge(admin.client, 'saved_commands', id)
  })

  it('frees the name of a record, which comes back only while nobody has taken it', async () => {
    const id = await command('Uptime')
    await remove(admin.client, 'saved_commands', id)
    const { data: taker } = await admin.client
      .from('saved_commands')
      .insert({ company_id: company, name: 'UPTIME', command: 'uptime' })
      .select('id')
      .single()
      .throwOnError()
    const [refused] = await restore(admin.client, 'saved_commands', id)
    expect(refused).toMatchObject({ outcome: 'refused', reason: { code: '23505' } })
    expect(refused?.reason?.message).toContain('saved_commands_name_key')
    expect((await trashOf(admin.client, 'saved_commands')).map((row) => row.id)).toEqual([id])
    await admin.client.from('saved_commands').update({ name: 'Other' }).eq('id', taker.id).throwOnError()
    expect(await restore(admin.client, 'saved_commands', id)).toMatchObject([{ outcome: 'changed' }])
  })

  it('makes a new record of an imported row that names one in the trash', async () => {
    const id = await command('Imported')
    await remove(admin.client, 'saved_commands', id)
    const { data } = await admin.client
      .rpc('import_rows', {
        resource: 'saved_commands',
        rows: [{ line: 2, values: { name: 'Imported', command: 'whoami', type: 'CMD' } }],
        company,
        keys: ['name'],
        lookups: {},
        mode: 'upsert',
        dry_run: false,
      })
      .throwOnError()
    expect(data).toMatchObject({ inserted: 1, updated: 0 })
    expect(
      await one('select count(*)::int as count from public.saved_commands where name = $1', ['Imported']),
    ).toEqual({
      count: 2,
    })
  })

  it('refuses a record that a living one holds, and takes it once the holder is in the trash', async () => {
    const held = await made(
      `insert into public.ticket_categories (company_id, name) values ($1, 'Held') returning id`,
      [company],
    )
    const id = await ticket('Holder')
    await backend.sql('update public.tickets set category_id = $2 where id = $1', [id, held])
    await remove(admin.client, 'tickets', id)
    // The category itself has no trash: its key refuses, whether the ticket lives or not, and nothing is lost.
    const { number } = await one<{ number: number }>('select number from public.tickets where id = $1', [id])
    expect(await remove(admin.client, 'ticket_categories', held)).toMatchObject([
      {
        outcome: 'refused',
        reason: { code: '23514', hint: 'held_by_trash', details: `{"records": "#${number}"}` },
      },
    ])
    const { error } = await admin.client.from('ticket_categories').delete().eq('id', held)
    expect(error).toMatchObject({ code: '23514', hint: 'held_by_trash' })
    // A stranger learns nothing of it.
    expect(await remove(stranger.client, 'ticket_categories', held)).toMatchObject([{ outcome: 'gone' }])
    await restore(admin.client, 'tickets', id)
    expect(await remove(admin.client, 'ticket_categories', held)).toMatchObject([
      { outcome: 'refused', reason: { code: '23503' } },
    ])
    await remove(admin.client, 'tickets', id)
    await purge(admin.client, 'tickets', id)
    expect(await remove(admin.client, 'ticket_categories', held)).toMatchObject([{ outcome: 'deleted' }])
  })

  it('answers a reference to a record in it as one to no record, whoever asks', async () => {
    const trashed = { tickets: await ticket('Hidden'), saved_commands: await command('Hidden') }
    const article = await made(
      `insert into public.articles (company_id, title, body) values ($1, 'Hidden', 'x') returning id`,
      [company],
    )
    await remove(admin.client, 'tickets', trashed.tickets)
    await remove(admin.client, 'saved_commands', trashed.saved_commands)
    await remove(admin.client, 'articles', article)
    const keys = await backend.sql<{ child: string; col: string; target: string }>(
      `select c.relname as child, a.attname as col, p.relname as target from pg_constraint k
       join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
       cross join lateral unnest(k.conkey) as u (number)
       join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.number and a.attname <> 'company_id'
       where k.contype = 'f' and app.has_trash(k.confrelid) and has_column_privilege('authenticated', c.oid, a.attname, 'insert')
       order by 1, 2`,
    )
    expect(keys.length).toBeGreaterThanOrEqual(5)
    const living = await ticket('Living')
    const whole: Record<string, object> = {
      ticket_comments: { kind: 'reply', body: 'x' },
      ticket_watchers: { user_id: stranger.id },
      ticket_links: { kind: 'relates', ticket_id: living, other_id: living },
      ticket_checklist_items: { text: 'x' },
      time_entries: { minutes: 5 },
      tickets: { subject: 'x' },
    }
    const wrong: unknown[] = []
    let compared = 0
    for (const person of [stranger, standard, teknik, admin, superAdmin])
      for (const owner of [company, other])
        for (const { child, col, target } of keys) {
          const there = target === 'articles' ? article : trashed[target as keyof typeof trashed]
          const answer = async (id: string) => {
            const { error, status } = await person.client
              .from(child)
              .insert({ company_id: owner, ...whole[child], [col]: id })
            return JSON.stringify({ status, error }).replaceAll(id, 'ID')
          }
          const [none, hidden] = [await answer(randomUUID()), await answer(there)]
          compared += 1
          if (none !== hidden) wrong.push({ child, col, none, hidden })
        }
    expect(wrong).toEqual([])
    expect(compared).toBe(keys.length * 10)
    await purge(admin.client, 'tickets', trashed.tickets)
    await purge(admin.client, 'saved_commands', trashed.saved_commands)
    await purge(admin.client, 'articles', article)
    await backend.sql('delete from public.tickets where id = $1', [living])
  })

  it('hides the ticket that took over a merged one, until it is restored', async () => {
    const [merged, survivor] = [
      await ticket('Merged', { requester: standard.id }),
      await ticket('Survivor', { requester: standard.id }),
    ]
    await admin.client.rpc('merge_tickets', { ids: [merged], target_id: survivor }).throwOnError()
    const write = (person: Person, body: string) =>
      person.client
        .from('ticket_comments')
        .insert({ company_id: company, ticket_id: merged, kind: 'reply', body })
    expect((await write(standard, 'Refused')).error).toMatchObject({ hint: 'ticket_merged' })
    await remove(admin.client, 'tickets', survivor)
    // Nobody is told the number of a ticket that nobody sees.
    for (const person of [standard, teknik, admin])
      expect((await write(person, 'Refused')).error).toMatchObject({
        hint: 'ticket_merged_gone',
        details: null,
        message: 'the ticket was merged into one that was deleted',
      })
    expect((await write(stranger, 'Refused')).error?.code).toBe('42501')
    await restore(admin.client, 'tickets', survivor)
    expect((await write(standard, 'Refused')).error).toMatchObject({ hint: 'ticket_merged' })
    await remove(admin.client, 'tickets', merged, survivor)
    await purge(admin.client, 'tickets', merged, survivor)
  })

  it('reports each record of a batch on its own', async () => {
    const [mine, gone] = [await command('Of a batch'), randomUUID()]
    const foreign = await made(
      `insert into public.saved_commands (company_id, name, command) values ($1, 'Foreign', 'x') returning id`,
      [other],
    )
    const outcome = new Map(
      (await remove(admin.client, 'saved_commands', mine, gone, foreign)).map((row) => [row.id, row.outcome]),
    )
    expect(Object.fromEntries(outcome)).toEqual({ [mine]: 'deleted', [gone]: 'gone', [foreign]: 'gone' })
    const again = await Promise.all([
      remove(admin.client, 'saved_commands', mine),
      restore(stranger.client, 'saved_commands', mine),
    ])
    expect(again.flat().map((row) => row.outcome)).toEqual(['gone', 'gone'])
  })

  it('answers two people who delete or restore at once', async () => {
    const id = await ticket('At once')
    const removed = await Promise.all([
      remove(admin.client, 'tickets', id),
      remove(second.client, 'tickets', id),
    ])
    expect(
      removed
        .flat()
        .map((row) => row.outcome)
        .sort(),
    ).toEqual(['deleted', 'gone'])
    expect(
      await one('select deleted_at is not null as kept from public.tickets where id = $1', [id]),
    ).toEqual({
      kept: true,
    })
    const restored = await Promise.all([
      restore(admin.client, 'tickets', id),
      restore(second.client, 'tickets', id),
    ])
    expect(
      restored
        .flat()
        .map((row) => row.outcome)
        .sort(),
    ).toEqual(['changed', 'gone'])
  })

  it('keeps comments, notes, watchers and files of a record, and deletes them with it for good', async () => {
    const id = await ticket('With a file', { requester: standard.id })
    const file = await upload(admin, PDF, { company, resource: 'tickets', record: id })
    await admin.client
      .from('ticket_comments')
      .insert({ company_id: company, ticket_id: id, kind: 'note', body: 'internal' })
      .throwOnError()
    await remove(admin.client, 'tickets', id)
    expect((await admin.client.storage.from('files').download(file.path)).error).toBeTruthy()
    await restore(admin.client, 'tickets', id)
    const back = await admin.client.storage.from('files').download(file.path)
    expect(Buffer.from((await back.data?.arrayBuffer()) ?? new ArrayBuffer(0))).toEqual(PDF)
    expect(
      (await admin.client.from('ticket_comments').select('body').eq('ticket_id', id).throwOnError()).data,
    ).toEqual([{ body: 'internal' }])
    await remove(admin.client, 'tickets', id)
    expect(await purge(admin.client, 'tickets', id)).toMatchObject([{ outcome: 'deleted' }])
    const rest = await one<Record<string, number>>(
      `select (select count(*)::int from public.tickets where id = $1) as tickets,
        (select count(*)::int from public.ticket_comments where ticket_id = $1) as comments,
        (select count(*)::int from public.files where record_id = $1) as files,
        (select count(*)::int from app.file_removals where path = $2) as removals`,
      [id, file.path],
    )
    expect(rest).toEqual({ tickets: 0, comments: 0, files: 0, removals: 1 })
  })

  it('is emptied by the tick after 30 days', async () => {
    const [young, old] = [await ticket('Young'), await ticket('Old')]
    await remove(admin.client, 'tickets', young, old)
    await backend.sql(
      `update public.tickets set deleted_at = now() - interval '30 days 1 minute' where id = $1`,
      [old],
    )
    await backend.sql(
      `update public.tickets set deleted_at = now() - interval '29 days 23 hours' where id = $1`,
      [young],
    )
    expect(await one('select app.empty_trash() as removed')).toEqual({ removed: 1 })
    expect(await backend.sql('select id from public.tickets where id = any ($1)', [[young, old]])).toEqual([
      { id: young },
    ])
    expect(await backend.sql(`select error from app.tick_log where step = 'trash'`)).toEqual([])
  })

  it('has no clock, no closing, no share of the work and no timer', async () => {
    const id = await ticket('Shelved', { status: 'resolved' })
    await backend.sql(
      `update public.tickets set resolved_at = now() - interval '90 days', sla_next_at = now() - interval '1 hour', assignee_id = $2 where id = $1`,
      [id, teknik.id],
    )
    await backend.sql(
      `insert into public.time_entries (company_id, ticket_id, user_id, started_at) values ($1, $2, $3, now() - interval '1 hour')`,
      [company, id, admin.id],
    )
    await backend.sql('update public.desk_settings set close_after_days = 1 where company_id = $1', [company])
    await remove(admin.client, 'tickets', id)
    await backend.sql('select app.watch_sla(), app.close_resolved()')
    expect(
      await one(
        `select status, sla_next_at < now() as is_due, timer_started_at is null as is_stopped from public.tickets where id = $1`,
        [id],
      ),
    ).toEqual({ status: 'resolved', is_due: true, is_stopped: true })
    expect(
      await one('select ended_at is not null as ended from public.time_entries where ticket_id = $1', [id]),
    ).toEqual({
      ended: true,
    })
    await restore(admin.client, 'tickets', id)
    await backend.sql('select app.close_resolved()')
    expect(await one('select status from public.tickets where id = $1', [id])).toEqual({ status: 'closed' })
  })

  it('is told in the log as trash and restore, and live as gone and new', async () => {
    const id = await ticket('Told')
    const ear = await listen(admin.client, `company:${company}`)
    await expect.poll(() => ear.states).toContain('SUBSCRIBED')
    await remove(second.client, 'tickets', id)
    await expect.poll(() => heardOf(ear, id)).toBe(true)
    await restore(second.client, 'tickets', id)
    await expect
      .poll(() =>
        ear.heard.filter((change) => change.table === 'tickets' && change.ids.includes(id)).map((c) => c.op),
      )
      .toEqual(['delete', 'insert'])
    const { data } = await admin.client
      .from('audit_log')
      .select('action, changes')
      .eq('row_id', id)
      .order('at')
      .throwOnError()
    expect(data).toEqual([
      expect.objectContaining({ action: 'create' }),
      { action: 'trash', changes: {} },
      { action: 'restore', changes: {} },
    ])
  })

  it('counts no subticket that is in it', async () => {
    const [parent, child] = [await ticket('Parent'), await ticket('Child')]
    await admin.client.rpc('set_ticket_parent', { ids: [child], parent_id: parent }).throwOnError()
    const count = async () =>
      one('select subticket_count as count from public.tickets where id = $1', [parent])
    expect(await count()).toEqual({ count: 1 })
    await remove(admin.client, 'tickets', child)
    expect(await count()).toEqual({ count: 0 })
    await restore(admin.client, 'tickets', child)
    expect(await count()).toEqual({ count: 1 })
  })

  it('opens a new ticket for an alert whose ticket is in it', async () => {
    const device = await made(
      `insert into public.devices (company_id, name) values ($1, 'Alerting PC') returning id`,
      [company],
    )
    const monitor = await made(
      `insert into public.monitors (company_id, name, type, offline_minutes, open_ticket) values ($1, 'Offline', 'Offline', 5, true) returning id`,
      [company],
    )
    const alert = (message: string) =>
      backend.sql(
        `insert into public.alerts (company_id, monitor_id, device_id, severity, message) values ($1, $2, $3, 'warning', $4)`,
        [company, monitor, device, message],
      )
    await alert('first')
    const first = await made('select id from public.tickets where device_id = $1', [device])
    await remove(admin.client, 'tickets', first)
    await backend.sql(
      `update public.alerts set status = 'resolved', resolved_at = now() where device_id = $1`,
      [device],
    )
    await alert('second')
    const { data } = await admin.client.from('tickets').select('id').eq('device_id', device).throwOnError()
    expect(data).toHaveLength(1)
    expect(data?.[0]?.id).not.toBe(first)
  })
})
