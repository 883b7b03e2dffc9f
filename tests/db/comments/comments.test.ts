import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { drivers, type TestBackend, testBackend } from '../../support/backend'

interface Comment {
  id: string
  kind: string
  body: string
  author_name: string
  mentions: string[]
  edited_at: string | null
  version: number
}

describe.each(drivers('roles', 'plans'))('comments on %s', (driver) => {
  let backend: TestBackend
  let [admin, teknik, standard, stranger, platform] = [] as unknown as SupabaseClient[]
  let acme: string
  let globex: string
  /** A ticket that the Standard user has asked for, and one of somebody else. */
  let own: string
  let others: string
  const people = new Map<string, string>()
  const person = (email: string) => people.get(email) ?? ''

  const sql = <R>(query: string, params: unknown[] = []) => backend.sql<R>(query, params)
  const one = async <R>(query: string, params: unknown[] = []): Promise<R> =>
    (await sql<R>(query, params))[0] as R
  const newTicket = async (requester: string, subject = `Ticket ${randomUUID()}`) =>
    (
      await one<{ id: string }>(
        `insert into public.tickets (company_id, subject, requester_id) values ($1, $2, $3) returning id`,
        [acme, subject, person(requester)],
      )
    ).id

  const add = (client: SupabaseClient | undefined, values: Record<string, unknown>) =>
    (client as SupabaseClient)
      .from('ticket_comments')
      .insert({ company_id: acme, ticket_id: own, kind: 'reply', body: 'Hello', ...values })
      .select('*')
      .single<Comment>()
  const added = async (client: SupabaseClient | undefined, values: Record<string, unknown> = {}) => {
    const { data, error } = await add(client, values)
    expect(error).toBeNull()
    return data as Comment
  }
  const bodies = async (client: SupabaseClient | undefined, ticket = own) => {
    const { data, error } = await (client as SupabaseClient)
      .from('ticket_comments')
      .select('body')
      .eq('ticket_id', ticket)
      .order('created_at')
    expect(error).toBeNull()
    return (data ?? []).map(({ body }) => body as string)
  }
  const age = (id: string, minutes: number, table = 'ticket_comments') =>
    sql(`update public.${table} set created_at = created_at - make_interval(mins => $2) where id = $1`, [
      id,
      minutes,
    ])

  beforeAll(async () => {
    backend = await testBackend({ driver })
    ;[admin, teknik, standard, stranger, platform] = await Promise.all(
      [
        'admin@acme.test',
        'teknik@acme.test',
        'standard@acme.test',
        'admin@globex.test',
        'super@demo.test',
      ].map((email) => backend.client(email)),
    )
    for (const { id, email } of await sql<{ id: string; email: string }>(
      'select id, email from public.profiles',
    ))
      people.set(email, id)
    acme = (await one<{ id: string }>(`select id from public.companies where name = 'Acme'`)).id
    globex = (await one<{ id: string }>(`select id from public.companies where name = 'Globex'`)).id
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    own = await newTicket('standard@acme.test')
    others = await newTicket('admin@acme.test')
  })

  it('are read by whoever sees the record, and notes by those who may list them', async () => {
    await added(standard, { body: 'It does not start' })
    await added(teknik, { kind: 'note', body: 'Third time this week' })
    await added(teknik, { body: 'We are on it' })
    expect(await bodies(standard)).toEqual(['It does not start', 'We are on it'])
    expect(await bodies(teknik)).toEqual(['It does not start', 'Third time this week', 'We are on it'])
    expect(await bodies(admin)).toHaveLength(3)
    expect(await bodies(platform)).toHaveLength(3)
    expect(await bodies(stranger)).toEqual([])
    await added(teknik, { ticket_id: others, body: 'Private' })
    expect(await bodies(standard, others)).toEqual([])
  })

  it('carry their author and version whatever the request says', async () => {
    const comment = await added(standard)
    expect(comment).toMatchObject({ kind: 'reply', version: 1, edited_at: null, mentions: [] })
    const { error } = await add(standard, { author_id: person('admin@acme.test') })
    expect(error?.code).toBe('42501')
    const { author_id } = await one<{ author_id: string }>(
      'select author_id from public.ticket_comments where id = $1',
      [comment.id],
    )
    expect(author_id).toBe(person('standard@acme.test'))
  })

  it('are one when the same text is sent twice', async () => {
    const once = { once_key: randomUUID(), body: 'Sent twice' }
    await added(standard, once)
    const again = await add(standard, once)
    expect([again.error?.code, again.error?.message]).toEqual([
      '23505',
      expect.stringContaining('ticket_comments_once'),
    ])
    expect(await bodies(standard)).toEqual(['Sent twice'])
    // The key is the author's alone: the same one of somebody else tells nothing and stops nothing.
    await added(teknik, once)
  })

  it('are edited and deleted by their author within 15 minutes', async () => {
    const comment = await added(standard)
    const edit = (client: SupabaseClient | undefined, body: string) =>
      (client as SupabaseClient).from('ticket_comments').update({ body }).eq('id', comment.id).select('*')
    const remove = (client: SupabaseClient | undefined) =>
      (client as SupabaseClient).from('ticket_comments').delete().eq('id', comment.id).select('id')
    expect((await edit(standard, 'Corrected')).data).toMatchObject([
      { body: 'Corrected', version: 2, edited_at: expect.any(String) },
    ])
    expect((await edit(admin, 'Forged')).data).toEqual([])
    expect((await remove(teknik)).data).toEqual([])
    await age(comment.id, 16)
    expect((await edit(standard, 'Late')).error).toMatchObject({ code: '42501', hint: 'comment_settled' })
    expect((await remove(standard)).error).toMatchObject({ code: '42501', hint: 'comment_settled' })
    expect(await bodies(admin)).toEqual(['Corrected'])
    // Whoever may delete tickets also removes what was written on them.
    expect((await remove(admin)).data).toHaveLength(1)
    expect(await bodies(admin)).toEqual([])
    const fresh = await added(standard)
    expect(
      (await (standard as SupabaseClient).from('ticket_comments').delete().eq('id', fresh.id).select('id'))
        .data,
    ).toHaveLength(1)
  })

  it('answer alike for a record of others, of another company and none at all', async () => {
    for (const [client, ticket] of [
      [standard, others],
      [standard, randomUUID()],
    ] as const)
      expect((await add(client, { ticket_id: ticket })).error).toMatchObject({
        code: 'PT404',
        hint: 'comment_gone',
      })
    expect((await add(stranger, {})).error?.code).toBe('42501')
    expect((await add(stranger, { company_id: globex })).error?.code).toBe('PT404')
    expect((await add(platform, { ticket_id: others })).error).toBeNull()
  })

  it('are refused on a closed ticket, where notes are still taken', async () => {
    const before = await added(standard)
    const note = await added(teknik, { kind: 'note', body: 'A note' })
    await sql(`update public.tickets set status = 'closed' where id = $1`, [own])
    expect((await add(standard, {})).error).toMatchObject({ code: '23514', hint: 'comment_closed' })
    expect((await add(teknik, {})).error).toMatchObject({ code: '23514', hint: 'comment_closed' })
    await added(teknik, { kind: 'note', body: 'For the next time' })
    // A reply that was written before is as closed as a new one.
    const edit = (client: typeof standard, id: string) =>
      (client as SupabaseClient).from('ticket_comments').update({ body: 'Changed' }).eq('id', id).select('id')
    expect((await edit(standard, before.id)).error).toMatchObject({ code: '23514', hint: 'comment_closed' })
    expect((await edit(teknik, note.id)).data).toHaveLength(1)
    const remove = (client: typeof standard, id: string) =>
      (client as SupabaseClient).from('ticket_comments').delete().eq('id', id).select('id')
    expect((await remove(standard, before.id)).error).toMatchObject({ code: '23514', hint: 'comment_closed' })
    expect((await remove(teknik, note.id)).data).toHaveLength(1)
    expect((await remove(admin, before.id)).data).toHaveLength(1)
    expect((await add(standard, { kind: 'note' })).error).toMatchObject({ code: '42501', hint: 'role' })
    expect((await add(teknik, { kind: 'shout' })).error?.code).toBe('23514')
  })

  it('go with their record', async () => {
    await added(standard)
    await sql('delete from public.tickets where id = $1', [own])
    // The second deletion takes it out of the trash, for good.
    await sql('delete from public.tickets where id = $1', [own])
    expect(await sql('select id from public.ticket_comments where ticket_id = $1', [own])).toEqual([])
  })

  describe('mentions', () => {
    const mention = (email: string, name = 'Somebody') => `[@${name}](mention:${person(email)})`
    const bell = async (email: string) =>
      sql<{ kind: string; params: { count: number }; link: string }>(
        `select kind, params, link from public.notifications where user_id = $1 and link like $2 order by created_at`,
        [person(email), `%${own}%`],
      )

    it('tell a person who may read the comment, with a link to it', async () => {
      const comment = await added(standard, { body: `${mention('teknik@acme.test')} please look` })
      expect(comment.mentions).toEqual([person('teknik@acme.test')])
      expect(await bell('teknik@acme.test')).toMatchObject([
        { kind: 'comment_mention', link: `/tickets/${own}?comment=${comment.id}` },
      ])
      const notice = await one<{ by_mail: boolean }>(
        `select by_mail from app.notices where kind = 'mentions' and record_ids = array[$1::uuid]`,
        [comment.id],
      )
      expect(notice.by_mail).toBe(true)
    })

    it('tell no stranger, and in a note not the requester', async () => {
      const comment = await added(standard, {
        body: `${mention('admin@globex.test')} and ${mention('super@demo.test')} and [@x](mention:${randomUUID()})`,
      })
      expect(comment.mentions).toEqual([person('super@demo.test')])
      expect(await bell('admin@globex.test')).toEqual([])
      const note = await added(teknik, { kind: 'note', body: mention('standard@acme.test') })
      expect(note.mentions).toEqual([])
      expect(await bell('standard@acme.test')).toEqual([])
      // A colleague without the desk does not see the ticket of somebody else.
      const elsewhere = await added(teknik, { ticket_id: others, body: mention('standard@acme.test') })
      expect(elsewhere.mentions).toEqual([])
    })

    it('within code are none', async () => {
      const at = mention('teknik@acme.test')
      for (const body of [`\`${at}\``, `\`\`\`\n${at}\n\`\`\``, `Text\n\n    ${at}`, `\`\`\`\n${at}`])
        expect((await added(standard, { body })).mentions).toEqual([])
      expect((await added(standard, { body: `\`code\` ${at} \`more\`` })).mentions).toHaveLength(1)
    })

    it('follow a person who is renamed, and so does the author', async () => {
      const comment = await added(teknik, { body: `${mention('teknik@acme.test', 'Old name')}` })
      const [before] = await sql<{ name: string }>('select name from public.profiles where id = $1', [
        person('teknik@acme.test'),
      ])
      await sql(`update public.profiles set name = 'Renamed Person' where id = $1`, [
        person('teknik@acme.test'),
      ])
      const { data } = await (standard as SupabaseClient).rpc('comment_names', {
        resource: 'tickets',
        record_id: own,
      })
      expect(data).toEqual([{ id: person('teknik@acme.test'), name: 'Renamed Person' }])
      const { author_name, version } = await one<{ author_name: string; version: number }>(
        'select author_name, version from public.ticket_comments where id = $1',
        [comment.id],
      )
      expect([author_name, version]).toEqual(['Renamed Person', 1])
      await sql('update public.profiles set name = $2 where id = $1', [
        person('teknik@acme.test'),
        before?.name,
      ])
    })

    it('are offered for those who may read the comment', async () => {
      const ask = async (client: SupabaseClient | undefined, kind: string, ticket = own) => {
        const { data, error } = await (client as SupabaseClient).rpc('comment_people', {
          resource: 'tickets',
          record_id: ticket,
          kind,
        })
        return error ? error.code : (data as { id: string }[]).map(({ id }) => id)
      }
      expect(await ask(standard, 'reply')).not.toContain(person('teknik@acme.test'))
      await added(teknik, { body: 'I look at it' })
      expect(await ask(standard, 'reply')).toEqual(
        expect.arrayContaining([person('teknik@acme.test'), person('standard@acme.test')]),
      )
      const forNotes = await ask(teknik, 'note')
      expect(forNotes).toContain(person('admin@acme.test'))
      expect(forNotes).not.toContain(person('standard@acme.test'))
      expect(await ask(standard, 'note')).toBe('42501')
      expect(await ask(standard, 'reply', others)).toEqual([])
      expect(await ask(stranger, 'reply')).toEqual([])
    })

    it('tell those who take part of a reply once in five minutes', async () => {
      await added(teknik, { body: 'First' })
      await added(teknik, { body: 'Second' })
      expect(await bell('standard@acme.test')).toMatchObject([
        { kind: 'comment_added', params: { count: 2 } },
      ])
      await added(teknik, { kind: 'note', body: 'Secret' })
      expect(await bell('standard@acme.test')).toMatchObject([
        { kind: 'comment_added', params: { count: 2 } },
      ])
      await added(standard, { body: 'Thank you' })
      expect(await bell('teknik@acme.test')).toMatchObject([{ kind: 'comment_added', params: { count: 1 } }])
      expect(await bell('admin@globex.test')).toEqual([])
    })

    it('go by mail only to whoever may still read them', async () => {
      // A public reply has a mail of its own.
      const comment = await added(teknik, { kind: 'note', body: mention('admin@acme.test') })
      const content = () =>
        one<{ content: { mentions: unknown[] } | null }>(
          `select app.notice_content(n) as content from app.notices n where n.kind = 'mentions' and n.record_ids @> array[$1::uuid]`,
          [comment.id],
        )
      expect((await content()).content?.mentions).toHaveLength(1)
      expect((await one<{ role: string }>(`select current_setting('role') as role`)).role).toBe('none')
      await sql('delete from public.ticket_comments where id = $1', [comment.id])
      expect((await content()).content).toBeNull()
    })
  })

  it('show in the activity of their record without their words', async () => {
    const activity = async (client: SupabaseClient | undefined) => {
      const { data } = await (client as SupabaseClient).rpc('record_activity', {
        resource: 'tickets',
        record_id: own,
      })
      return (data as { table_name: string; action: string; changes: unknown }[])
        .filter(({ table_name }) => table_name !== 'tickets')
        .map(({ table_name, action, changes }) => [table_name, action, changes])
    }
    const reply = await added(teknik, { body: 'Words of the reply' })
    const note = await added(teknik, { kind: 'note', body: 'Words of the note' })
    await (teknik as SupabaseClient)
      .from('ticket_comments')
      .update({ body: 'Other words' })
      .eq('id', reply.id)
    await (teknik as SupabaseClient).from('ticket_comments').delete().eq('id', note.id)
    expect(await activity(admin)).toEqual([
      ['tickets-notes', 'delete', { kind: ['note', null] }],
      ['ticket_comments', 'edit', { kind: ['reply', 'reply'] }],
      ['tickets-notes', 'create', { kind: [null, 'note'] }],
      ['ticket_comments', 'create', { kind: [null, 'reply'] }],
    ])
    expect(await activity(stranger)).toEqual([])
    // A role that reads the audit log and tickets but no notes.
    await sql(
      `insert into app.policy_rule (ptype, v0, v1, v2, v3) values ('p', 'Standard', 'audit_log', 'list', 'allow')`,
    )
    try {
      expect((await activity(standard)).map(([table]) => table)).toEqual([
        'ticket_comments',
        'ticket_comments',
      ])
    } finally {
      await sql(`delete from app.policy_rule where v0 = 'Standard' and v1 = 'audit_log'`)
    }
  })

  it('are found by their words, and so are their tickets', async () => {
    const word = `zirkon${randomUUID().slice(0, 8)}`
    const secret = `gizli${randomUUID().slice(0, 8)}`
    await added(standard, { body: `The ${word} printer` })
    await added(teknik, { kind: 'note', body: `Contract ${secret}` })
    const found = async (client: SupabaseClient | undefined, fn: string, q: string) => {
      const { data, error } = await (client as SupabaseClient).rpc(fn, { q }).select('id')
      expect(error).toBeNull()
      return (data as { id: string }[]).map(({ id }) => id)
    }
    expect(await found(standard, 'search_ticket_comments', word.toUpperCase())).toHaveLength(1)
    expect(await found(standard, 'search_tickets', word)).toEqual([own])
    expect(await found(teknik, 'search_tickets', secret)).toEqual([own])
    expect(await found(standard, 'search_tickets', secret)).toEqual([])
    expect(await found(standard, 'search_ticket_comments', secret)).toEqual([])
    expect(await found(stranger, 'search_tickets', word)).toEqual([])
    expect(await found(stranger, 'search_ticket_comments', word)).toEqual([])
  })

  it('on a device are written by technicians', async () => {
    const [device] = await sql<{ id: string }>(
      'select id from public.devices where company_id = $1 limit 1',
      [acme],
    )
    const write = (client: SupabaseClient | undefined) =>
      (client as SupabaseClient)
        .from('device_comments')
        .insert({ company_id: acme, device_id: device?.id, body: 'Fan replaced' })
        .select('kind')
    expect((await write(teknik)).data).toEqual([{ kind: 'reply' }])
    expect((await write(standard)).error?.code).toBe('42501')
    expect((await (standard as SupabaseClient).from('device_comments').select('id')).data).toEqual([])
    expect(
      (await (stranger as SupabaseClient).from('device_comments').select('id').eq('device_id', device?.id))
        .data,
    ).toEqual([])
  })
})
