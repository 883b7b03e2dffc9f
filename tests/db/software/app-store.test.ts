import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount, createCompany } from '../../support/accounts'
import { drivers, sharedBackend, type TestBackend } from '../../support/backend'
import { type AsUser, asUser } from '../support/as-user'

describe.each(drivers())('the app store on %s', (driver) => {
  let backend: TestBackend
  let as: AsUser
  let company: string
  let devices: string[]
  let zoom: string
  let git: string

  const inventory = (
    device: string | undefined,
    software: [name: string, publisher: string, version: string][],
  ) =>
    backend.sql('select app.apply_inventory($1, $2, $3::text::jsonb)', [
      device,
      company,
      JSON.stringify(software.map(([name, publisher, version]) => ({ name, publisher, version }))),
    ])
  const app = async (name: string, publisher: string, apt: string | null) =>
    (
      await backend.sql<{ id: string }>(
        `insert into public.apps (name, publisher, winget_id, apt_id) values ($1, $2, 'Some.App', $3) returning id`,
        [name, publisher, apt],
      )
    )[0]?.id ?? ''
  const state = (user: string | null, of = company) =>
    as(user, `select public.app_store_state(array['${zoom}', '${git}']::uuid[], '${of}') as state`)
  const stateOf = async (user: string, id: string) =>
    ((await state(user)).data?.[0]?.state as { id: string }[] | undefined)?.find((each) => each.id === id)
  const outdated = async (user: string | null, of = company) =>
    as(user, `select public.app_outdated_devices('${zoom}', '${of}') as devices`)

  beforeAll(async () => {
    backend = await sharedBackend(driver)
    as = await asUser(backend)
    company = await createCompany(backend)
    devices = (
      await backend.sql<{ id: string }>(
        `insert into public.devices (company_id, name) select $1, 'PC-' || n from generate_series(1, 3) n returning id`,
        [company],
      )
    ).map(({ id }) => id)
    zoom = await app('Zoom', 'Zoom Communications', null)
    git = await app('Git', 'The Git project', 'git')
    await inventory(devices[0], [
      ['Zoom Workplace', 'Zoom', '6.2.7'],
      ['Zoom Helper', 'Somebody Else', '1'],
      ['GitHub Desktop', 'GitHub', '3'],
    ])
    await inventory(devices[1], [
      ['Zoom Workplace', 'Zoom', '6.1.11'],
      ['git', 'Ubuntu Developers', '2.47'],
    ])
    await backend.sql('select app.tick()')
  })
  afterAll(() => backend?.stop())

  it('counts the devices that have an app, by its own titles alone', async () => {
    const admin = (await createAccount(backend, 'Admin', company)).id
    expect(await stateOf(admin, zoom)).toEqual({ id: zoom, devices: 2, outdated: 1, job: null })
    expect(await stateOf(admin, git)).toEqual({ id: git, devices: 1, outdated: 0, job: null })
    expect((await outdated(admin)).data).toEqual([{ devices: [devices[1]] }])
  })

  it('shows the task under way', async () => {
    const { email, id } = await createAccount(backend, 'Teknik', company)
    const client = await backend.client(email)
    const { data: job } = await client
      .rpc('run_app', { app_id: zoom, act: 'update', device_ids: [devices[1]] })
      .throwOnError()
    expect(await stateOf(id, zoom)).toMatchObject({ job: { id: job, act: 'update', done: 0, total: 1 } })
    await client.rpc('cancel_job', { job_id: job }).throwOnError()
    expect(await stateOf(id, zoom)).toMatchObject({ job: null })
  })

  it('tells nobody else', async () => {
    const other = await createCompany(backend)
    const stranger = (await createAccount(backend, 'Admin', other)).id
    expect((await state(stranger)).data).toEqual([{ state: [] }])
    expect((await outdated(stranger)).data).toEqual([{ devices: [] }])
    const admin = (await createAccount(backend, 'Admin', company)).id
    expect((await state(admin, randomUUID())).data).toEqual([{ state: [] }])
    for (const user of [(await createAccount(backend, 'Standard', company)).id, null]) {
      expect((await state(user)).code).toBe('42501')
      expect((await outdated(user)).code).toBe('42501')
    }
    await backend.sql(
      `update public.companies set license_end_date = now() - interval '1 day' where id = $1`,
      [company],
    )
    expect((await outdated(admin)).code).toBe('42501')
  })
})
