import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser, insertInto, insertRow, literal } from '../support/as-user'

describe.each(drivers('locks'))('tickets on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let other: string
  let standard: string
  let teknik: string
  let stranger: string
  let category: string
  let elsewhere: string
  let issue: string
  let mine: string
  let theirs: string

  const one = async (sql: string, params: readonly unknown[] = []): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(sql, params)
    if (!row) throw new Error('no row')
    return row.id
  }
  const ticket = (subject: string, requester: string | null, more: Record<string, unknown> = {}) =>
    one(
      `${insertInto('tickets', { company_id: company, subject, requester_id: requester, ...more })} returning id`,
    )
  const read = (id: string) => `select * from public.tickets where id = ${literal(id)}`
  const added = (subject: string) => `select * from public.tickets where subject = ${literal(subject)}`

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    company = await createCompany(backend)
    other = await createCompany(backend)
    standard = (await createAccount(backend, 'Standard', company)).id
    teknik = (await createAccount(backend, 'Teknik', company)).id
    stranger = (await createAccount(backend, 'Standard', other)).id
    const categoryOf = (name: string) =>
      one(`${insertInto('ticket_categories', { company_id: company, name })} returning id`)
    category = await categoryOf('Hardware')
    elsewhere = await categoryOf('Software')
    issue = await one(
      `${insertInto('ticket_issues', { company_id: company, category_id: category, name: 'Broken', priority: 'high' })} returning id`,
    )
    mine = await ticket('Mine', standard)
    theirs = await ticket('Theirs', teknik)
  })
  afterAll(() => backend?.stop())

  it('are numbered from one in each company, without gaps after a failure', async () => {
    const fresh = await createCompany(backend)
    const add = () =>
      backend.sql<{ number: number }>(
        `${insertInto('tickets', { company_id: fresh, subject: 'Counted' })} returning number`,
      )
    expect((await add())[0]?.number).toBe(1)
    await expect(backend.sql(insertInto('tickets', { company_id: fresh, subject: ' ' }))).rejects.toThrow()
    const numbers = (await Promise.all([add(), add(), add()])).map(([row]) => row?.number)
    expect(numbers.sort()).toEqual([2, 3, 4])
  })

  it('show a Standard user what they asked for, in the list, by id and by search', async () => {
    const list = await as(standard, 'select subject from public.tickets')
    expect(list.data).toEqual([{ subject: 'Mine' }])
    expect((await as(standard, read(theirs))).rows).toBe(0)
    expect((await as(standard, `select subject from public.search_tickets('theirs')`)).rows).toBe(0)
    expect((await as(standard, `select subject from public.search_tickets('mine')`)).rows).toBe(1)
    expect((await as(teknik, `select subject from public.search_tickets('#')`)).rows).toBe(2)
  })

  it('are always asked for by the Standard user who opens them', async () => {
    const values = { company_id: company, subject: 'For somebody else', requester_id: teknik }
    const answer = await as(standard, insertInto('tickets', values), added(values.subject))
    expect(answer.rows).toBe(1)
    expect(answer.probe).toMatchObject([{ requester_id: standard, created_by: standard, status: 'new' }])
  })

  it.each([
    ['priority', 'urgent'],
    ['status', 'closed'],
    ['due_at', '2100-01-01'],
  ])('let no Standard user write %s', async (column, value) => {
    const created = await as(
      standard,
      insertInto('tickets', { company_id: company, subject: 'Pushing', [column]: value }),
    )
    expect(created).toMatchObject({ code: '42501', hint: 'role' })
    const edited = await as(
      standard,
      `update public.tickets set ${column} = ${literal(value)} where id = ${literal(mine)}`,
    )
    expect(edited).toMatchObject({ code: '42501', hint: 'role' })
  })

  it('are the Standard user’s to correct until they are closed', async () => {
    const closed = await ticket('Closed', standard, { status: 'closed' })
    const rename = (id: string) => `update public.tickets set subject = 'Renamed' where id = ${literal(id)}`
    expect((await as(standard, rename(mine))).rows).toBe(1)
    expect(await as(standard, rename(closed))).toMatchObject({ code: '42501' })
    expect((await as(standard, rename(theirs))).rows).toBe(0)
    expect((await as(teknik, rename(closed))).rows).toBe(1)
    expect((await as(standard, `delete from public.tickets where id = ${literal(mine)}`)).code).toBe('42501')
  })

  it('are found by the answers to the questions of their category', async () => {
    const fields = [
      { key: 'asset', label: 'Demirbaş numarası', kind: 'text', required: true },
      { key: 'room', label: 'Room', kind: 'number' },
      { key: 'more', label: 'More', kind: 'textarea' },
    ]
    const asking = await one(
      `${insertInto('ticket_categories', { company_id: company, name: 'Asking', fields: JSON.stringify(fields) })} returning id`,
    )
    const answers = (asset: string) =>
      JSON.stringify({ asset, room: 7316, more: `${'long '.repeat(40)}unsearched` })
    const id = await ticket('No word of it', standard, { category_id: asking, answers: answers('DMB-4711') })
    const found = async (q: string, who = teknik) =>
      (await as(who, `select id from public.search_tickets(${literal(q)}) where id = ${literal(id)}`)).rows
    for (const q of ['dmb-4711', '7316', 'no word 4711']) expect([q, await found(q)]).toEqual([q, 1])
    expect(await found('DMB-4711', standard)).toBe(1)
    expect(await found('DMB-4711', stranger)).toBe(0)
    for (const q of ['unsearched', 'Demirbaş']) expect([q, await found(q)]).toEqual([q, 0])
    await backend.sql('update public.tickets set answers = $2::text::jsonb where id = $1', [
      id,
      answers('DMB-4712'),
    ])
    expect([await found('DMB-4711'), await found('DMB-4712')]).toEqual([0, 1])
  })

  it('are opened by the desk alone in a category of the desk, whose issue types nobody else reads', async () => {
    const fields = [{ key: 'name', label: 'Name of the suspect', kind: 'text', required: true }]
    const secret = await one(
      `${insertInto('ticket_categories', { company_id: company, name: 'Suspicion', audience: 'desk', fields: JSON.stringify(fields) })} returning id`,
    )
    const type = await one(
      `${insertInto('ticket_issues', { company_id: company, category_id: secret, name: 'Secret', priority: 'urgent' })} returning id`,
    )
    const look = `select id from public.ticket_issues where id = ${literal(type)}`
    expect((await as(standard, look)).rows).toBe(0)
    expect((await as(teknik, look)).rows).toBe(1)
    const values = { company_id: company, subject: 'Inside', category_id: secret, issue_id: type }
    expect(await as(standard, insertInto('tickets', values))).toMatchObject({ code: '42501', hint: 'role' })
    const move = (id: string) =>
      `update public.tickets set category_id = ${literal(secret)} where id = ${literal(id)}`
    expect(await as(standard, move(mine))).toMatchObject({ code: '42501', hint: 'role' })
    // The desk moved it: its requester answers as little, and an error names no question.
    const moved = await ticket('Moved inside', standard, { category_id: secret })
    const answer = (answers: object) =>
      `update public.tickets set answers = ${literal(JSON.stringify(answers))} where id = ${literal(moved)}`
    for (const answers of [{ name: '' }, { name: 5 }, { name: 'Nobody' }, { other: 'x' }]) {
      const attempt = await as(standard, answer(answers))
      expect(attempt).toMatchObject({ code: '42501', hint: 'role' })
      expect(JSON.stringify(attempt)).not.toContain('suspect')
    }
    expect((await as(teknik, answer({ name: 'Somebody' }))).rows).toBe(1)
    await backend.sql(answer({ name: 'Somebody' }))
    expect(await as(standard, answer({ name: 'Nobody' }))).toMatchObject({ code: '42501', hint: 'role' })
    expect(await as(standard, answer({}))).toMatchObject({ code: '42501', hint: 'role' })
  })

  it('have an issue type of their own category, and follow it to another', async () => {
    const wrong = { company_id: company, subject: 'Mixed', category_id: elsewhere, issue_id: issue }
    expect(await as(teknik, insertInto('tickets', wrong))).toMatchObject({
      code: '23503',
      constraint: 'tickets_issue_id_fkey',
    })
    const alone = { company_id: company, subject: 'Alone', issue_id: issue }
    expect(await as(teknik, insertInto('tickets', alone))).toMatchObject({ code: '23514' })
    const id = await ticket('Moves along', standard, { category_id: category, issue_id: issue })
    await backend.sql('update public.ticket_issues set category_id = $1 where id = $2', [elsewhere, issue])
    expect(await backend.sql('select category_id from public.tickets where id = $1', [id])).toEqual([
      { category_id: elsewhere },
    ])
    await backend.sql('update public.ticket_issues set category_id = $1 where id = $2', [category, issue])
  })

  it('start with the priority of their issue type, where none is given', async () => {
    const values = { company_id: company, subject: 'Typed', category_id: category, issue_id: issue }
    expect((await as(standard, insertInto('tickets', values), added('Typed'))).probe).toMatchObject([
      { priority: 'high' },
    ])
    const given = { ...values, priority: 'low' }
    expect((await as(teknik, insertInto('tickets', given), added('Typed'))).probe).toMatchObject([
      { priority: 'low' },
    ])
    const plain = { company_id: company, subject: 'Plain' }
    expect((await as(teknik, insertInto('tickets', plain), added('Plain'))).probe).toMatchObject([
      { priority: 'normal' },
    ])
  })

  it.each(['requester_id', 'assignee_id'])('have a %s of their company, or a Super Admin', async (column) => {
    const platform = (await createAccount(backend, 'Super Admin', null)).id
    const nobody = '00000000-0000-4000-8000-000000000000'
    const attempt = (person: string) =>
      as(teknik, insertInto('tickets', { company_id: company, subject: 'People', [column]: person }))
    expect((await attempt(platform)).rows).toBe(1)
    const refused = await attempt(stranger)
    expect(refused).toMatchObject({ code: '23503', constraint: `tickets_${column}_fkey` })
    // A stranger looks exactly like nobody.
    expect((await attempt(nobody)).message).toBe(refused.message)
  })

  it.each(['requester_id', 'assignee_id'])('are given to no deactivated account as %s', async (column) => {
    const leaver = (await createAccount(backend, 'Teknik', company)).id
    const given = await ticket('Given before', standard, { [column]: leaver })
    const free = await ticket('Free', standard)
    const give = (id: string) =>
      as(
        teknik,
        `update public.tickets set ${column} = ${literal(leaver)}, priority = 'high' where id = ${literal(id)}`,
        read(id),
      )
    const create = () =>
      as(teknik, insertInto('tickets', { company_id: company, subject: 'New', [column]: leaver }))
    expect([(await give(free)).rows, (await create()).rows]).toEqual([1, 1])
    await backend.sql('update public.user_roles set deactivated_at = now() where user_id = $1', [leaver])
    const refused = {
      code: '23514',
      hint: 'person_deactivated',
      message: `column "${column}" of "tickets" names a deactivated account`,
    }
    expect(await give(free)).toMatchObject(refused)
    expect(await create()).toMatchObject(refused)
    // A form saves the other fields of a ticket that the person had before.
    const kept = await give(given)
    expect(kept.rows).toBe(1)
    expect(kept.probe).toMatchObject([{ [column]: leaver, priority: 'high' }])
    // In another company nothing is told of the account.
    const foreign = await as(
      teknik,
      insertInto('tickets', { company_id: other, subject: 'Probe', [column]: leaver }),
    )
    expect(foreign).toMatchObject({ code: '42501' })
    await backend.sql('update public.user_roles set deactivated_at = null where user_id = $1', [leaver])
    expect((await create()).rows).toBe(1)
  })

  it('that are open are counted by their assignees, as far as the caller sees them', async () => {
    const leaver = (await createAccount(backend, 'Teknik', company)).id
    for (const status of ['new', 'open', 'waiting', 'resolved', 'closed'])
      await ticket(`Left ${status}`, standard, { assignee_id: leaver, status })
    const counted = `select public.open_tickets_of(array[${literal(leaver)}]::uuid[]) as n`
    expect((await as(teknik, counted)).data).toEqual([{ n: 3 }])
    expect((await as(stranger, counted)).data).toEqual([{ n: 0 }])
    expect(await as(null, counted)).toMatchObject({ code: '42501' })
  })

  it('tell nothing of another company’s people', async () => {
    const into = (requester: string) =>
      as(teknik, insertInto('tickets', { company_id: other, subject: 'Probe', requester_id: requester }))
    expect(await into(stranger)).toEqual(await into(teknik))
    expect((await into(stranger)).code).toBe('42501')
  })

  it('carry names that follow the profile and outlive it', async () => {
    const leaver = (await createAccount(backend, 'Standard', company)).id
    const id = await ticket('Leaving', leaver)
    const [before] = await backend.sql<{ version: number }>(read(id))
    await backend.sql(`update public.profiles set name = 'Ayşe Çelik' where id = $1`, [leaver])
    expect(await backend.sql(read(id))).toMatchObject([
      { requester_name: 'Ayşe Çelik', version: before?.version },
    ])
    await backend.sql('delete from auth.users where id = $1', [leaver])
    expect(await backend.sql(read(id))).toMatchObject([{ requester_id: null, requester_name: 'Ayşe Çelik' }])
  })

  it('take a status of their own company together with its kind, from the desk alone', async () => {
    const named = (owner: string) =>
      insertRow(backend, 'ticket_statuses', { company_id: owner, name: `Vendor ${owner}`, kind: 'waiting' })
    const [own, foreign] = [await named(company), await named(other)]
    const id = await ticket('Ordered', standard)
    const wait = (status: string) =>
      `select public.set_ticket_status(array[${literal(id)}]::uuid[], 'waiting', status_id => ${literal(status)})`
    const statusOf = `select status, status_id from public.tickets where id = ${literal(id)}`
    expect((await as(teknik, wait(own), statusOf)).probe).toEqual([{ status: 'waiting', status_id: own }])
    expect(await as(teknik, wait(foreign))).toMatchObject({ code: '23503' })
    expect(await as(standard, wait(own))).toMatchObject({ code: '42501', hint: 'role' })
    expect(await as(stranger, wait(foreign))).toMatchObject({ code: '42501' })
  })

  it('are taken, resolved and reopened by the desk alone', async () => {
    const take = `select public.assign_tickets(array[${literal(mine)}]::uuid[]) as changed`
    const status = (value: string) =>
      `select public.set_ticket_status(array[${literal(mine)}]::uuid[], ${literal(value)}) as changed`
    expect(await as(standard, take)).toMatchObject({ code: '42501', hint: 'role' })
    expect(await as(standard, status('resolved'))).toMatchObject({ code: '42501', hint: 'role' })
    const gone = `select public.assign_tickets(array[gen_random_uuid()])`
    expect(await as(teknik, gone)).toMatchObject({ code: 'PT404' })
    expect((await as(teknik, take)).data).toEqual([{ changed: 1 }])
    const resolved = await as(
      teknik,
      `update public.tickets set status = 'resolved' where id = ${literal(mine)}`,
      read(mine),
    )
    expect(resolved.probe?.[0]?.resolved_at).not.toBeNull()
    const done = await ticket('Done', standard, { status: 'resolved' })
    const reopened = await as(
      teknik,
      `update public.tickets set status = 'open' where id = ${literal(done)}`,
      read(done),
    )
    expect(reopened.probe).toMatchObject([{ status: 'open', resolved_at: null }])
  })
})
