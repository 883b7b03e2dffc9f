import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser, insertInto, updateOf } from '../support/as-user'

interface Figures {
  detected: number | null
  available: number | null
  version: number
}

describe.each(drivers())('software licenses on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let adminId: string
  let devices: string[]

  const inventory = (device: string | undefined, ...names: string[]) =>
    backend.sql('select app.apply_inventory($1, $2, $3::text::jsonb)', [
      device,
      company,
      JSON.stringify(names.map((name) => ({ name, publisher: 'Adobe', version: '1' }))),
    ])
  const license = async (values: Record<string, unknown> = {}): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(
      `${insertInto('software_licenses', { company_id: company, name: 'Acrobat', match_rule: 'acrobat', seats: 2, ...values })} returning id`,
    )
    return row?.id ?? ''
  }
  const figures = async (id: string): Promise<Figures | undefined> => {
    const [row] = await backend.sql<Figures>(
      'select detected, available, version from public.software_licenses where id = $1',
      [id],
    )
    return row
  }
  const tick = async () => {
    const [row] = await backend.sql<{ done: Record<string, number | null> }>('select app.tick() as done')
    return row?.done.software_licenses
  }
  const notes = async () => {
    const [row] = await backend.sql<{ count: number }>(
      'select count(*)::int as count from app.license_recounts',
    )
    return row?.count
  }

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
  })
  afterAll(() => backend?.stop())
  beforeEach(async () => {
    company = await createCompany(backend)
    adminId = (await createAccount(backend, 'Admin', company)).id
    devices = (
      await backend.sql<{ id: string }>(
        `insert into public.devices (company_id, name, logged_in_user)
         select $1, 'PC-' || n, case when n <= 2 then 'ayşe.kaya' end from generate_series(1, 4) n returning id`,
        [company],
      )
    ).map(({ id }) => id)
  })

  it('counts at once when the rule is written or changed', async () => {
    await inventory(devices[0], 'Adobe Acrobat Reader', 'Photoshop')
    await inventory(devices[1], 'Adobe Acrobat Pro', 'Adobe Acrobat Reader')
    const id = await license()
    // Two titles on one device are one device.
    expect(await figures(id)).toEqual({ detected: 2, available: 0, version: 1 })
    await backend.sql(`update public.software_licenses set match_rule = 'PHOTOSHOP adobe' where id = $1`, [
      id,
    ])
    expect(await figures(id)).toEqual({ detected: 1, available: 1, version: 2 })
    await backend.sql('update public.software_licenses set match_rule = null where id = $1', [id])
    expect(await figures(id)).toMatchObject({ detected: null, available: null })
  })

  it('follows the inventory with the next tick, without making an open form out of date', async () => {
    const id = await license()
    expect(await figures(id)).toMatchObject({ detected: 0 })
    for (const device of devices) await inventory(device, 'Adobe Acrobat Reader')
    expect(await figures(id)).toMatchObject({ detected: 0 })
    expect(await tick()).toBe(1)
    expect(await figures(id)).toEqual({ detected: 4, available: -2, version: 1 })
    expect(await notes()).toBe(0)
    await inventory(devices[0], 'Something else')
    await backend.sql('delete from public.devices where id = $1', [devices[1]])
    await tick()
    expect(await figures(id)).toMatchObject({ detected: 2, available: 0 })
    // Software that no license means leaves no note.
    await inventory(devices[0], 'Another thing')
    expect(await notes()).toBe(0)
    expect(await tick()).toBe(0)
  })

  it('counts signed-in users once, and never a site as over-used', async () => {
    for (const device of devices) await inventory(device, 'Adobe Acrobat Reader')
    // Two devices of one user, two without anybody.
    expect(await figures(await license({ type: 'user' }))).toMatchObject({ detected: 3, available: -1 })
    expect(await figures(await license({ type: 'site', seats: 1 }))).toMatchObject({
      detected: 4,
      available: null,
    })
  })

  it('counts again every hour what changes without a note', async () => {
    await inventory(devices[2], 'Adobe Acrobat Reader')
    await inventory(devices[3], 'Adobe Acrobat Reader')
    const id = await license({ type: 'user' })
    await backend.sql(`update public.devices set logged_in_user = 'X' where id in ($1, $2)`, devices.slice(2))
    await tick()
    expect(await figures(id)).toMatchObject({ detected: 2 })
    await backend.sql(
      `update app.license_counts set counted_at = now() - interval '61 minutes' where license_id = $1`,
      [id],
    )
    await tick()
    expect(await figures(id)).toMatchObject({ detected: 1 })
  })

  it('means only titles of its own company, and says which', async () => {
    const other = await createCompany(backend)
    const [device] = await backend.sql<{ id: string }>(
      `insert into public.devices (company_id, name) values ($1, 'PC') returning id`,
      [other],
    )
    await backend.sql('select app.apply_inventory($1, $2, $3::text::jsonb)', [
      device?.id,
      other,
      JSON.stringify([{ name: 'Adobe Acrobat Reader' }]),
    ])
    await inventory(devices[0], 'Işıklı Acrobat')
    const id = await license({ match_rule: 'ISIKLI acrobat' })
    const titles = await backend.sql(
      `select s.name from public.software_license_titles t
       join public.software s on s.company_id = t.company_id and s.id = t.software_id where t.license_id = $1`,
      [id],
    )
    expect(titles).toEqual([{ name: 'Işıklı Acrobat' }])
    expect(await figures(id)).toMatchObject({ detected: 1 })
  })

  it('knows since when seats are free', async () => {
    const since = async (id: string) =>
      (
        await backend.sql<{ unused_since: Date | null }>(
          'select unused_since from public.software_licenses where id = $1',
          [id],
        )
      )[0]?.unused_since
    const id = await license({ seats: 1 })
    const first = await since(id)
    expect(first).not.toBeNull()
    await backend.sql('update public.software_licenses set seats = 2 where id = $1', [id])
    expect(await since(id)).toEqual(first)
    for (const device of devices.slice(0, 2)) await inventory(device, 'Adobe Acrobat Reader')
    await tick()
    expect(await since(id)).toBeNull()
    expect(await since(await license({ type: 'site', seats: 9 }))).toBeNull()
    expect(await since(await license({ match_rule: null }))).toBeNull()
  })

  it('tells who takes its seats, to those who may read devices of the company', async () => {
    for (const device of devices) await inventory(device, 'Adobe Acrobat Reader')
    await backend.sql(
      `update public.devices set status = 'offline', offline_since = now() - interval '31 days' where id = $1`,
      [devices[3]],
    )
    const byDevice = await license()
    const byUser = await license({ type: 'user' })
    const use = async (user: string, id: string) =>
      (await as(user, `select public.license_use('${id}') as use`)).data?.[0]?.use
    expect(await use(adminId, byDevice)).toMatchObject({ total: 4, idle: 1 })
    expect(await use(adminId, byUser)).toEqual({ total: 3, idle: 1 })
    const list = async (user: string, text = '') =>
      (
        await as(
          user,
          `select d.name from public.search_license_devices('${byUser}', '${text}') d order by d.name_key`,
        )
      ).data?.map(({ name }) => name)
    expect(await list(adminId)).toEqual(['PC-1', 'PC-2', 'PC-3', 'PC-4'])
    expect(await list(adminId, 'pc-2')).toEqual(['PC-2'])
    await inventory(devices[1])
    expect(await list(adminId)).toEqual(['PC-1', 'PC-3', 'PC-4'])

    const other = (await createAccount(backend, 'Admin', await createCompany(backend))).id
    const standard = (await createAccount(backend, 'Standard', company)).id
    for (const user of [other, standard]) expect(await use(user, byDevice)).toEqual({ total: 0, idle: 0 })
    expect(await list(other)).toEqual([])
    const listed = `select * from public.search_license_devices('${byDevice}', '')`
    for (const user of [standard, null]) expect((await as(user, listed)).code).toBe('42501')
    expect((await as(null, `select public.license_use('${byDevice}')`)).code).toBe('42501')
  })

  it('reminds once each at 30, 7 and 1 days of those who may renew it, and again after a renewal', async () => {
    const deskId = (await createAccount(backend, 'Standard', company)).id
    const told = async () => {
      await backend.sql('select app.tick()')
      return backend.sql(
        `select n.user_id, (n.params ->> 'days')::integer as days, n.link from public.notifications n
         where n.company_id = $1 and n.kind = 'software_license_expiring' order by n.created_at, n.id`,
        [company],
      )
    }
    const id = await license({ expires_on: null })
    const end = (days: number) =>
      backend.sql(
        'update public.software_licenses set expires_on = current_date + $2::integer where id = $1',
        [id, days],
      )
    await end(31)
    expect(await told()).toEqual([])
    const link = `/software-licenses/${id}`
    await end(29)
    expect(await told()).toEqual([{ user_id: adminId, days: 29, link }])
    expect(await told()).toHaveLength(1)
    const pass = (days: number) =>
      backend.sql(
        `with moved as (update app.license_reminders set expires_on = expires_on - $2::integer where license_id = $1)
         update public.software_licenses set expires_on = expires_on - $2::integer where id = $1`,
        [id, days],
      )
    await pass(10)
    expect(await told()).toHaveLength(1)
    await pass(12)
    expect((await told()).map(({ days }) => days)).toEqual([29, 7])
    await pass(6)
    expect((await told()).map(({ days }) => days)).toEqual([29, 7, 1])
    await pass(2)
    expect(await told()).toHaveLength(3)
    // Renewed, and near its end again.
    await end(20)
    expect(await told()).toHaveLength(4)
    expect(JSON.stringify(await told())).not.toContain(deskId)
  })

  it('forgets the notes of a license that is gone', async () => {
    const id = await license()
    await inventory(devices[0], 'Adobe Acrobat Reader')
    expect(await notes()).toBe(1)
    await backend.sql('delete from public.software_licenses where id = $1', [id])
    await tick()
    expect(await notes()).toBe(0)
  })

  it('lets nobody write what is counted, nor break a rule of the form', async () => {
    const id = await license()
    const tried = async (values: Record<string, unknown>) =>
      (await as(adminId, updateOf('software_licenses', values, { id }))).code
    expect(await tried({ detected: 7 })).toBe('42501')
    expect(await tried({ available: 7 })).toBe('428C9')
    expect(await tried({ seats: 0 })).toBe('23514')
    expect(await tried({ cost: -1 })).toBe('23514')
    expect(await tried({ currency: 'ABC' })).toBe('23514')
    const ended = await as(
      adminId,
      updateOf('software_licenses', { purchased_on: '2026-05-02', expires_on: '2026-05-01' }, { id }),
    )
    expect(ended).toMatchObject({ code: '23514', constraint: 'software_licenses_expires_on_check' })
  })
})
