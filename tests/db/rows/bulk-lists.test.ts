import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import {
  type AsUser,
  type Attempt,
  asUser,
  idsLiteral,
  insertRow,
  jsonLiteral,
  literal,
  type Values,
} from '../support/as-user'

interface Side {
  company: string
  admin: string
  standard: string
  devices: string[]
  groups: string[]
}

const NOBODY = '00000000-0000-4000-8000-000000000000'

describe.each(drivers())('lists and linked records in bulk on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let ours: Side
  let theirs: Side
  let superAdmin: string

  const insert = (table: string, values: Values) => insertRow(backend, table, values)
  const furnish = async (): Promise<Side> => {
    const company = await createCompany(backend)
    const devices: string[] = []
    for (const name of ['a', 'b', 'c'])
      devices.push(await insert('devices', { company_id: company, name, notes: null }))
    const groups = [
      await insert('groups', { company_id: company, name: 'Ankara' }),
      await insert('groups', { company_id: company, name: 'İzmir' }),
    ]
    await backend.sql(
      'insert into public.group_devices (company_id, group_id, device_id) values ($1, $2, $3)',
      [company, groups[0], devices[0]],
    )
    return {
      company,
      devices,
      groups,
      admin: (await createAccount(backend, 'Admin', company)).id,
      standard: (await createAccount(backend, 'Standard', company)).id,
    }
  }
  const edit = (
    who: string | null,
    resource: string,
    ids: readonly string[],
    lists: unknown,
    { changes = {}, probe }: { changes?: unknown; probe?: string } = {},
  ) =>
    as(
      who,
      `select * from public.bulk_edit(${literal(resource)}, ${idsLiteral(ids)}, ${jsonLiteral(changes)}, ${jsonLiteral(lists)})`,
      probe,
    )
  const group = (how: string, items: readonly (string | undefined)[]) => [
    { through: 'group_devices', near: 'device_id', far: 'group_id', how, items },
  ]
  const outcomes = ({ data }: Attempt, ids: readonly string[]) =>
    ids.map((id) => data?.find((row) => row.id === id)?.outcome)
  const codeOf = ({ data }: Attempt, id: string | undefined) =>
    (data?.find((row) => row.id === id)?.reason as { code?: string } | null | undefined)?.code
  const linked = () =>
    `select d.name || ':' || g.name as link from public.group_devices gd join public.devices d on d.id = gd.device_id
     join public.groups g on g.id = gd.group_id where gd.company_id = ${literal(ours.company)} order by 1`
  const links = ({ probe }: Attempt) => probe?.map(({ link }) => link)

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    ours = await furnish()
    theirs = await furnish()
    superAdmin = (await createAccount(backend, 'Super Admin', null)).id
  })
  afterAll(() => backend?.stop())

  describe('linked records', () => {
    it('are added where they are missing', async () => {
      const answer = await edit(
        ours.admin,
        'devices',
        [...ours.devices, theirs.devices[0] ?? '', NOBODY],
        group('add', [ours.groups[0]]),
        { probe: linked() },
      )
      expect(outcomes(answer, ours.devices)).toEqual(['same', 'changed', 'changed'])
      expect(outcomes(answer, [theirs.devices[0] ?? '', NOBODY])).toEqual(['gone', 'gone'])
      expect(links(answer)).toEqual(['a:Ankara', 'b:Ankara', 'c:Ankara'])
    })

    it('are taken away where they stand', async () => {
      const answer = await edit(ours.admin, 'devices', ours.devices, group('remove', ours.groups), {
        probe: linked(),
      })
      expect(outcomes(answer, ours.devices)).toEqual(['changed', 'same', 'same'])
      expect(links(answer)).toEqual([])
    })

    it('are replaced, and emptied', async () => {
      const answer = await edit(ours.admin, 'devices', ours.devices, group('replace', [ours.groups[1]]), {
        probe: linked(),
      })
      expect(outcomes(answer, ours.devices)).toEqual(['changed', 'changed', 'changed'])
      expect(links(answer)).toEqual(['a:İzmir', 'b:İzmir', 'c:İzmir'])
      const emptied = await edit(ours.admin, 'devices', ours.devices, group('replace', []), {
        probe: linked(),
      })
      expect(outcomes(emptied, ours.devices)).toEqual(['changed', 'same', 'same'])
      expect(links(emptied)).toEqual([])
    })

    it('of another company are refused row by row, also to who sees both', async () => {
      const foreign = group('add', [theirs.groups[0]])
      const answer = await edit(ours.admin, 'devices', ours.devices, foreign, { probe: linked() })
      expect(outcomes(answer, ours.devices)).toEqual(['refused', 'refused', 'refused'])
      expect(codeOf(answer, ours.devices[1])).toBe('23503')
      expect(links(answer)).toEqual(['a:Ankara'])
      const both = [ours.devices[1] ?? '', theirs.devices[1] ?? '']
      expect(outcomes(await edit(superAdmin, 'devices', both, foreign), both)).toEqual(['refused', 'changed'])
      expect(outcomes(await edit(ours.admin, 'devices', ours.devices, group('add', [NOBODY])), both)[0]).toBe(
        'refused',
      )
    })

    it('are added through a table without permission lines of its own, by who may edit the rows', async () => {
      const tag = await insert('tags', { company_id: ours.company, name: 'Kritik' })
      const foreign = await insert('tags', { company_id: theirs.company, name: 'Kritik' })
      const tags = (item: string) => [
        { through: 'device_tags', near: 'device_id', far: 'tag_id', how: 'add', items: [item] },
      ]
      const probe = `select count(*)::int as link from public.device_tags where company_id = ${literal(ours.company)}`
      const answer = await edit(ours.admin, 'devices', ours.devices, tags(tag), { probe })
      expect(outcomes(answer, ours.devices)).toEqual(['changed', 'changed', 'changed'])
      expect(links(answer)).toEqual([3])
      expect(outcomes(await edit(ours.admin, 'devices', ours.devices, tags(foreign)), ours.devices)).toEqual([
        'refused',
        'refused',
        'refused',
      ])
      for (const who of [ours.standard, null])
        expect((await edit(who, 'devices', ours.devices, tags(tag))).code).toBe('42501')
      const stranger = await edit(theirs.admin, 'devices', ours.devices, tags(tag))
      expect(outcomes(stranger, ours.devices)).toEqual(['gone', 'gone', 'gone'])
    })

    it('go with the columns: of a refused row neither is written', async () => {
      const probe = `${linked()}`
      const answer = await edit(ours.admin, 'devices', ours.devices, group('add', [ours.groups[1]]), {
        changes: { notes: 'x' },
        probe,
      })
      expect(outcomes(answer, ours.devices)).toEqual(['changed', 'changed', 'changed'])
      expect(links(answer)).toHaveLength(4)
      const refused = await edit(ours.admin, 'devices', ours.devices, group('add', [ours.groups[1]]), {
        changes: { name: '' },
        probe,
      })
      expect(outcomes(refused, ours.devices)).toEqual(['refused', 'refused', 'refused'])
      expect(links(refused)).toEqual(['a:Ankara'])
      const half = await edit(ours.admin, 'devices', ours.devices, group('add', [theirs.groups[1]]), {
        changes: { notes: 'x' },
        probe: `select count(*)::int as link from public.devices where company_id = ${literal(ours.company)} and notes = 'x'`,
      })
      expect(outcomes(half, ours.devices)).toEqual(['refused', 'refused', 'refused'])
      expect(links(half)).toEqual([0])
    })

    it('are refused as a whole to who may not link, and while the license has ended', async () => {
      const add = group('add', [ours.groups[1]])
      expect((await edit(ours.standard, 'devices', ours.devices, add)).code).toBe('42501')
      expect((await edit(null, 'devices', ours.devices, add)).code).toBe('42501')
      await backend.sql(`update public.companies set status = 'Suspended' where id = $1`, [ours.company])
      const ended = await edit(ours.admin, 'devices', ours.devices, add)
      await backend.sql(`update public.companies set status = 'Active' where id = $1`, [ours.company])
      expect(ended).toMatchObject({ code: '42501', hint: 'read-only' })
    })

    it.each([
      ['an unknown table', { through: 'nothing', near: 'device_id', far: 'group_id' }],
      ['a private table', { through: 'device_secrets', near: 'device_id', far: 'company_id' }],
      ['a table by its schema', { through: 'public.group_devices', near: 'device_id', far: 'group_id' }],
      ['a table that links others', { through: 'policy_groups', near: 'policy_id', far: 'group_id' }],
      ['the ends the wrong way round', { through: 'group_devices', near: 'group_id', far: 'device_id' }],
      ['one end twice', { through: 'group_devices', near: 'device_id', far: 'device_id' }],
      ['a column that is no end', { through: 'group_devices', near: 'device_id', far: 'added_at' }],
      ['SQL for a column', { through: 'group_devices', near: 'device_id', far: 'group_id) --' }],
      ['no end', { through: 'group_devices' }],
    ])('are not written through %s', async (_what, path) => {
      const lists = [{ ...path, how: 'add', items: [ours.groups[0]] }]
      expect((await edit(ours.admin, 'devices', ours.devices, lists)).code).toBe('22023')
    })

    it.each([
      ['no way', { how: undefined, items: [NOBODY] }],
      ['an unknown way', { how: 'drop', items: [NOBODY] }],
      ['no items', { how: 'add', items: [] }],
      ['a word for items', { how: 'add', items: 'x' }],
      ['too many items', { how: 'add', items: Array.from({ length: 201 }, () => NOBODY) }],
    ])('are not changed by %s', async (_what, change) => {
      const lists = [{ ...group('add', [])[0], ...change }]
      expect((await edit(ours.admin, 'devices', ours.devices, lists)).code).toBe('22023')
    })

    it('are asked for by keys alone', async () => {
      const lists = group('add', [`x' or '1'='1`])
      expect((await edit(ours.admin, 'devices', ours.devices, lists)).code).toBe('22P02')
    })
  })

  describe('lists of words', () => {
    const RANKED = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
    const days = (how: string, items: readonly string[]) => [
      { field: 'weekdays', how, items, ranked: RANKED },
    ]
    let tasks: string[]
    const probe = () =>
      `select weekdays from public.scheduled_tasks where id = any (${idsLiteral(tasks)}) order by name`
    beforeAll(async () => {
      const procedure = await insert('procedures', {
        company_id: ours.company,
        name: 'P',
        type: 'Bash',
        script: 'echo 1',
      })
      tasks = []
      for (const [name, weekdays] of [
        ['1', '{fri,mon}'],
        ['2', '{tue}'],
      ])
        tasks.push(
          await insert('scheduled_tasks', {
            company_id: ours.company,
            name,
            procedure_id: procedure,
            frequency: 'weekly',
            weekdays,
            target_kind: 'group',
            group_id: ours.groups[0],
            time_of_day: '09:00',
            timezone: 'UTC',
          }),
        )
    })

    it('get words, in the order of a closed list, and lose them', async () => {
      const added = await edit(ours.admin, 'scheduled_tasks', tasks, days('add', ['mon', 'wed']), {
        probe: probe(),
      })
      expect(outcomes(added, tasks)).toEqual(['changed', 'changed'])
      expect(added.probe?.map(({ weekdays }) => weekdays)).toEqual([
        ['mon', 'wed', 'fri'],
        ['mon', 'tue', 'wed'],
      ])
      const removed = await edit(ours.admin, 'scheduled_tasks', tasks, days('remove', ['fri']), {
        probe: probe(),
      })
      expect(outcomes(removed, tasks)).toEqual(['changed', 'same'])
      expect(removed.probe?.[0]?.weekdays).toEqual(['mon'])
      const replaced = await edit(ours.admin, 'scheduled_tasks', tasks, days('replace', ['mon', 'fri']))
      expect(outcomes(replaced, tasks)).toEqual(['same', 'changed'])
    })

    it('answer for each row that a rule stands against', async () => {
      const emptied = await edit(ours.admin, 'scheduled_tasks', tasks, days('remove', ['tue']), {
        probe: probe(),
      })
      expect(outcomes(emptied, tasks)).toEqual(['same', 'refused'])
      expect(codeOf(emptied, tasks[1])).toBe('23514')
      const wrong = await edit(ours.admin, 'scheduled_tasks', tasks, days('add', [`x', 'y`]))
      expect(outcomes(wrong, tasks)).toEqual(['refused', 'refused'])
    })

    it('are lists, and are named once', async () => {
      const wrong = (lists: unknown, changes = {}) =>
        edit(ours.admin, 'scheduled_tasks', tasks, lists, { changes })
      expect((await wrong([{ field: 'name', how: 'add', items: ['x'] }])).code).toBe('22023')
      expect((await wrong([{ field: 'nothing', how: 'add', items: ['x'] }])).code).toBe('22023')
      expect((await wrong(days('add', ['mon']), { weekdays: ['tue'] })).code).toBe('22023')
    })
  })

  describe('titles', () => {
    const titles = (who: string | null, wanted: unknown) =>
      as(who, `select * from public.record_titles(${jsonLiteral(wanted)})`)

    it('come for several resources at once, of what the caller may see', async () => {
      const ids = [...ours.devices.slice(0, 1), ...theirs.devices.slice(0, 1), NOBODY]
      const { data } = await titles(ours.admin, {
        devices: { ids, fields: ['name', 'nothing'] },
        groups: { ids: ours.groups.slice(0, 1), fields: ['name'] },
      })
      expect(data?.sort((a, b) => (String(a.resource) < String(b.resource) ? -1 : 1))).toEqual([
        { resource: 'devices', id: ours.devices[0], fields: { name: 'a' } },
        { resource: 'groups', id: ours.groups[0], fields: { name: 'Ankara' } },
      ])
      expect((await titles(ours.standard, { devices: { ids, fields: ['name'] } })).data).toEqual([])
    })

    it('are those of resources', async () => {
      expect((await titles(ours.admin, { policy_rule: { ids: [], fields: [] } })).code).toBe('22023')
      expect((await titles(ours.admin, [])).code).toBe('22023')
      expect((await titles(null, {})).code).toBe('42501')
    })
  })
})
