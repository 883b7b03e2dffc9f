import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drivers } from '../../support/backend'
import { type DeskStage, deskStage } from './desk-stage'

describe.each(drivers('locks'))('assignment rules on %s', (driver) => {
  let { add, as, backend, company, one, people, ticket } = {} as DeskStage
  let [category, first, second] = ['', '', '']
  const read = (id: string) => one<Assigned>('select * from public.tickets where id = $1', [id])
  const change = (id: string, set: string) =>
    backend.sql(`update public.tickets set ${set} where id = $1`, [id])
  const assignees = async (count: number, values: Record<string, unknown>) => {
    const ids = await Promise.all(Array.from({ length: count }, () => ticket(values)))
    return Promise.all(ids.map(async (each) => (await read(each)).assignee_id))
  }
  beforeAll(async () => {
    ;({ add, as, backend, company, one, people, ticket } = await deskStage(driver))
    ;[first = '', second = ''] = [people.desk.id, people.colleague.id].sort()
    category = await add('ticket_categories', { name: 'Assigned' })
  })
  afterAll(() => backend?.stop())

  it('assign in turn, also to tickets that are made at once', async () => {
    const rule = await add('assignment_rules', {
      name: 'Turn',
      assigns: 'in_turn',
      role: 'Teknik',
      category_id: category,
    })
    const chosen = await assignees(6, { category_id: category })
    expect(chosen.filter((each) => each === first)).toHaveLength(3)
    expect(chosen.filter((each) => each === second)).toHaveLength(3)
    const [id] = await backend.sql<{ id: string }>(
      'select id from public.tickets where category_id = $1 limit 1',
      [category],
    )
    expect(await read(id?.id ?? '')).toMatchObject({
      status: 'new',
      assignment_note: 'Assigned by the rule Turn.',
    })
    await backend.sql('delete from public.assignment_rules where id = $1', [rule])
  })

  it('assign to the least loaded person who may sign in', async () => {
    const rule = await add('assignment_rules', { name: 'Load', role: 'Teknik', category_id: category })
    await change(await ticket(), `assignee_id = '${second}'`)
    await backend.sql(`update public.tickets set status = 'closed' where assignee_id = $1`, [first])
    expect(await assignees(1, { category_id: category })).toEqual([first])
    await backend.sql('update public.user_roles set deactivated_at = now() where user_id = $1', [first])
    expect(await assignees(2, { category_id: category })).toEqual([second, second])
    await backend.sql('update public.user_roles set deactivated_at = now() where user_id = $1', [second])
    const [none] = await assignees(1, { category_id: category })
    expect(none).toBeNull()
    const left = await one<Assigned>(
      'select * from public.tickets where category_id = $1 order by number desc limit 1',
      [category],
    )
    expect(left.assignment_note).toBe('No assignment rule had somebody for this ticket.')
    expect(
      await backend.sql(
        `select changes -> 'assignment_note' ->> 1 as note from public.audit_log where row_id = $1 and action = 'create'`,
        [left.id],
      ),
    ).toEqual([{ note: 'No assignment rule had somebody for this ticket.' }])
    await backend.sql('update public.user_roles set deactivated_at = null where company_id = $1', [company])
    await backend.sql('delete from public.assignment_rules where id = $1', [rule])
  })

  it('follow position and conditions, also when the category changes later', async () => {
    const urgent = await add('assignment_rules', {
      name: 'Urgent',
      assigns: 'person',
      assignee_id: second,
      priority: 'urgent',
      position: 1,
    })
    const rule = await add('assignment_rules', {
      name: 'Category',
      assigns: 'person',
      assignee_id: first,
      category_id: category,
      position: 2,
    })
    expect(await assignees(1, { category_id: category, priority: 'urgent' })).toEqual([second])
    const id = await ticket()
    expect((await read(id)).assignee_id).toBeNull()
    await change(id, `category_id = '${category}'`)
    expect(await read(id)).toMatchObject({
      assignee_id: first,
      assignment_note: 'Assigned by the rule Category.',
    })
    await backend.sql('delete from public.assignment_rules where id = any ($1::uuid[])', [[urgent, rule]])
  })

  it('says of a rule that is behind one without a condition that it is never reached, until it is before it', async () => {
    const rest = await add('assignment_rules', { name: 'The rest', position: 90 })
    const late = await add('assignment_rules', { name: 'Late', position: 91, priority: 'urgent' })
    const read = (id: string) =>
      one<{ reach_note: string | null; version: number }>(
        'select reach_note, version from public.assignment_rules where id = $1',
        [id],
      )
    const admin = as(people.admin)
    const edit = (id: string, values: Record<string, unknown>) =>
      admin.from('assignment_rules').update(values).eq('id', id).throwOnError()
    const note = 'Never reached: The rest takes every ticket'
    expect(await read(rest)).toMatchObject({ reach_note: null })
    expect(await read(late)).toMatchObject({ reach_note: note })
    const { version } = await read(late)
    for (const [id, off, on] of [
      [rest, { enabled: false }, { enabled: true }],
      [rest, { priority: 'low' }, { priority: null }],
      [rest, { position: 92 }, { position: 90 }],
    ] as const) {
      await edit(id, off)
      expect(await read(late)).toMatchObject({ reach_note: null })
      await edit(id, on)
      expect(await read(late)).toMatchObject({ reach_note: note })
    }
    // The note is no edit that a form would have to compare.
    expect(await read(late)).toMatchObject({ version })
    expect(
      (await admin.from('assignment_rules').update({ reach_note: 'Mine' }).eq('id', late)).error,
    ).toMatchObject({
      code: '42501',
    })
    await edit(late, { position: 89 })
    expect(await read(late)).toMatchObject({ reach_note: null })
    await edit(late, { position: 91 })
    await admin.from('assignment_rules').delete().eq('id', rest).throwOnError()
    expect(await read(late)).toMatchObject({ reach_note: null })
    await backend.sql('delete from public.assignment_rules where id = $1', [late])
  })
})

interface Assigned {
  id: string
  status: string
  assignee_id: string | null
  assignment_note: string | null
}
