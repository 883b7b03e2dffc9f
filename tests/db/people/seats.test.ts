import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser, insertInto, literal } from '../support/as-user'

describe.each(drivers())('seats on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let admin: string
  let superAdmin: string
  /** Other files leave companies and people of theirs. */
  let people: string[]

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    company = await createCompany(backend)
    admin = (await createAccount(backend, 'Admin', company)).id
    superAdmin = (await createAccount(backend, 'Super Admin', null)).id
    const teknik = (await createAccount(backend, 'Teknik', company)).id
    const stranger = (await createAccount(backend, 'Admin', await createCompany(backend))).id
    people = [admin, superAdmin, teknik, stranger]
  })
  afterAll(() => backend?.stop())

  const add = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(`${insertInto(table, values)} returning id`)
    return row?.id ?? ''
  }
  const device = (name: string) => add('devices', { company_id: company, name })
  const seats = async () =>
    (
      await backend.sql('select device_count, seats_left, version from public.companies where id = $1', [
        company,
      ])
    )[0]
  const told = async () => {
    await backend.sql('select app.tell_of_seats()')
    const rows = await backend.sql<{ user_id: string; link: string }>(
      `select user_id, link from public.notifications
       where kind = 'seats_exceeded' and user_id = any ($1) and link in ('/system-license', '/company-management/' || $2)
       order by created_at, id`,
      [people, company],
    )
    return rows.map(({ user_id, link }) => `${user_id} ${link}`).sort()
  }

  it('of a company follow its devices, which outdates no open form', async () => {
    const { version } = (await seats()) as { version: number }
    expect(await seats()).toMatchObject({ device_count: 0, seats_left: null })
    const first = await device('A')
    await backend.sql('update public.companies set seats = 1 where id = $1', [company])
    expect(await seats()).toEqual({ device_count: 1, seats_left: 0, version: version + 1 })
    expect(await told()).toEqual([])
    await device('B')
    expect(await seats()).toEqual({ device_count: 2, seats_left: -1, version: version + 1 })
    await backend.sql('delete from public.devices where id = $1', [first])
    expect(await seats()).toMatchObject({ device_count: 1, seats_left: 0 })
    await device('C')
  })

  it('that are exceeded are told once, to the admins of the company and to who sees all', async () => {
    const expected = [`${admin} /system-license`, `${superAdmin} /company-management/${company}`].sort()
    expect(await told()).toEqual(expected)
    await device('D')
    expect(await told()).toEqual(expected)
    await backend.sql('update public.companies set seats = 2 where id = $1', [company])
    expect(await told()).toHaveLength(4)
  })

  it('of a license remind as early as it says', async () => {
    const license = (name: string, days: number, remind: number) =>
      backend.sql(
        `insert into public.software_licenses (company_id, name, expires_on, remind_days) values ($1, $2, current_date + $3::integer, $4)`,
        [company, name, days, remind],
      )
    await license('Early', 80, 90)
    await license('Usual', 80, 30)
    await license('Late', 5, 3)
    await license('Week', 5, 30)
    await backend.sql('select app.remind_of_licenses()')
    await backend.sql('select app.remind_of_licenses()')
    const rows = await backend.sql<{ license: string }>(
      `select params ->> 'license' as license from public.notifications
       where kind = 'software_license_expiring' and user_id = any ($1) order by 1`,
      [people],
    )
    expect(rows.map(({ license: name }) => name)).toEqual(['Early', 'Week'])
  })

  it('that a rule would count are shown before it is saved, to the company alone', async () => {
    const title = await add('software', { company_id: company, name: 'Acme Office 2024', publisher: 'Acme' })
    for (const name of ['S1', 'S2'])
      await add('device_software', {
        company_id: company,
        device_id: await device(name),
        software_id: title,
        version: '1',
      })
    const preview = (user: string | null, rule: string, owner: string | null = company) =>
      as(
        user,
        `select public.license_preview(${literal(rule)}, 'device', ${owner === null ? 'null' : literal(owner)}) as found`,
      )
    expect((await preview(admin, 'acme office')).data).toEqual([
      { found: { count: 2, titles: 1, names: ['Acme Office 2024'] } },
    ])
    expect((await preview(superAdmin, 'acme office')).data).toHaveLength(1)
    expect((await preview(admin, ' ')).data).toEqual([{ found: { count: 0, titles: 0, names: [] } }])
    const stranger = (await createAccount(backend, 'Admin', await createCompany(backend))).id
    expect((await preview(stranger, 'acme office')).code).toBe('42501')
    const standard = (await createAccount(backend, 'Standard', company)).id
    expect((await preview(standard, 'acme')).code).toBe('42501')
    expect((await preview(null, 'acme')).code).toBe('42501')
    expect((await preview(superAdmin, 'acme', null)).code).toBe('42501')
  })
})
