import { connect } from 'node:net'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { drivers, type TestBackend, testBackend } from '../support/backend'
import { heardOf, listen } from './live-ears'

describe.each(drivers('listen'))('live messages on %s', (driver) => {
  let backend: TestBackend
  const clients: SupabaseClient[] = []
  /** With which code a connection ended that never said who it is: it takes ten seconds, so it goes first. */
  let silent: Promise<number>
  beforeAll(async () => {
    backend = await testBackend({ driver })
    const { host } = new URL(backend.url)
    const socket = new WebSocket(
      `ws://${host}/realtime/v1/websocket?apikey=${backend.publishableKey}&vsn=2.0.0`,
    )
    silent = new Promise((resolve) => socket.once('close', resolve))
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.removeAllChannels()
  })
  afterAll(() => backend?.stop())

  const companyId = async (name: string): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(`select id from public.companies where name = $1`, [name])
    return row?.id ?? ''
  }

  const signedIn = async (email: string) => {
    const client = await backend.client(email)
    clients.push(client)
    await client.realtime.setAuth()
    return client
  }

  const touchDevice = async (company: string): Promise<string> => {
    const [row] = await backend.sql<{ id: string }>(
      `update public.devices set notes = coalesce(notes, '') || '.'
       where id = (select id from public.devices where company_id = $1 order by id limit 1) returning id`,
      [company],
    )
    return row?.id ?? ''
  }

  it('tells a company of its own changes and of nobody else’s', async () => {
    const [acme, globex] = [await companyId('Acme'), await companyId('Globex')]
    const own = await listen(await signedIn('admin@acme.test'), `company:${acme}`)
    const other = await listen(await signedIn('admin@globex.test'), `company:${globex}`)
    const platform = await listen(await signedIn('super@demo.test'), 'platform')
    expect([own.states[0], other.states[0], platform.states[0]]).toEqual(Array(3).fill('SUBSCRIBED'))

    const device = await touchDevice(acme)
    await expect.poll(() => heardOf(own, device), { timeout: 30_000 }).toBe(true)
    expect(own.heard.find((change) => change.ids.includes(device))).toMatchObject({ table: 'devices' })
    await expect.poll(() => heardOf(platform, device), { timeout: 30_000 }).toBe(true)
    // What the other company hears next is its own: the message before it never came.
    const theirs = await touchDevice(globex)
    await expect.poll(() => heardOf(other, theirs), { timeout: 30_000 }).toBe(true)
    expect(heardOf(other, device)).toBe(false)
    expect(heardOf(own, theirs)).toBe(false)
  })

  it('names both a group and the device that joins it', async () => {
    const acme = await companyId('Acme')
    const own = await listen(await signedIn('admin@acme.test'), `company:${acme}`)
    const [joined] = await backend.sql<{ group_id: string; device_id: string }>(
      `insert into public.group_devices (company_id, group_id, device_id)
       select g.company_id, g.id, d.id from public.groups g join public.devices d on d.company_id = g.company_id
       where g.company_id = $1 and not exists (
         select from public.group_devices x where x.group_id = g.id and x.device_id = d.id)
       order by g.id, d.id limit 1 returning group_id, device_id`,
      [acme],
    )
    if (!joined) throw new Error('Every device is in every group')
    await expect.poll(() => heardOf(own, joined.device_id), { timeout: 30_000 }).toBe(true)
    const message = own.heard.find(({ ids }) => ids.includes(joined.device_id))
    expect(message).toMatchObject({ table: 'group_devices', op: 'insert' })
    expect(message?.ids).toContain(joined.group_id)
  })

  it('lets nobody join a topic that is not theirs', async () => {
    const [acme, globex] = [await companyId('Acme'), await companyId('Globex')]
    const admin = await signedIn('admin@acme.test')
    const [stranger] = await backend.sql<{ id: string }>(
      `select id from auth.users where email = 'super@demo.test'`,
    )
    for (const topic of [
      `company:${globex}`,
      'platform',
      'company:',
      'company',
      `user:${stranger?.id}`,
      'anything',
    ])
      expect((await listen(admin, topic)).states[0], topic).toBe('CHANNEL_ERROR')
    const anonymous = await backend.client()
    clients.push(anonymous)
    expect((await listen(anonymous, `company:${acme}`)).states[0]).toBe('CHANNEL_ERROR')
    expect((await listen(await signedIn('super@demo.test'), `company:${globex}`)).states[0]).toBe(
      'SUBSCRIBED',
    )
  })

  it('tells nobody of tables their role may not read', async () => {
    const acme = await companyId('Acme')
    const standard = await listen(await signedIn('standard@acme.test'), `company:${acme}`)
    const admin = await listen(await signedIn('admin@acme.test'), `company:${acme}`)
    const device = await touchDevice(acme)
    await expect.poll(() => heardOf(admin, device), { timeout: 30_000 }).toBe(true)
    await backend.sql(`update public.companies set seats = coalesce(seats, 0) + 1 where id = $1`, [acme])
    await expect.poll(() => heardOf(standard, acme), { timeout: 30_000 }).toBe(true)
    expect(heardOf(standard, device)).toBe(false)
  })

  it('takes the topic from a user who moves to another company, and gives it back', async () => {
    const [acme, globex] = [await companyId('Acme'), await companyId('Globex')]
    const ear = await listen(await signedIn('teknik@acme.test'), `company:${acme}`)
    const witness = await listen(await signedIn('admin@acme.test'), `company:${acme}`)
    const move = (company: string) =>
      backend.sql(
        `update public.user_roles set company_id = $1
         where user_id = (select id from auth.users where email = 'teknik@acme.test')`,
        [company],
      )
    await move(globex)
    const device = await touchDevice(acme)
    await expect.poll(() => heardOf(witness, device), { timeout: 30_000 }).toBe(true)
    await expect.poll(() => ear.states.at(-1), { timeout: 30_000 }).toBe('CHANNEL_ERROR')
    expect(heardOf(ear, device)).toBe(false)
    await move(acme)
    await expect.poll(() => ear.states.at(-1), { timeout: 60_000 }).toBe('SUBSCRIBED')
  })

  it('takes the topic from a session that ends', async () => {
    const acme = await companyId('Acme')
    const ear = await listen(await signedIn('standard@acme.test'), `company:${acme}`)
    expect(ear.states[0]).toBe('SUBSCRIBED')
    await backend.sql(
      `select app.end_sessions((select id from auth.users where email = 'standard@acme.test'))`,
    )
    await expect.poll(() => ear.states.at(-1), { timeout: 30_000 }).toBe('CHANNEL_ERROR')
  })

  it('survives whatever is sent to it', async () => {
    const { hostname, port } = new URL(backend.url)
    const upgrade = (target: string, extra = '') =>
      new Promise<string>((resolve) => {
        let answer = ''
        const socket = connect(Number(port), hostname, () => {
          socket.write(
            `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${extra}\r\n`,
          )
        })
        socket.on('data', (chunk) => {
          answer += String(chunk)
          socket.end()
        })
        socket.on('error', () => undefined)
        socket.on('close', () => resolve(answer))
      })
    const key = `apikey=${backend.publishableKey}`
    const path = `/realtime/v1/websocket?${key}`
    for (const [target, extra] of [
      ['//'],
      ['http://['],
      ['/realtime/v1/websocket'],
      [path],
      [path, 'Sec-WebSocket-Key: short\r\nSec-WebSocket-Version: 13\r\n'],
      [path, 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 99\r\n'],
      ['/elsewhere', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n'],
    ])
      expect(await upgrade(target ?? '', extra)).toMatch(/^HTTP\/1\.1 4\d\d /)

    const socket = new WebSocket(`ws://${hostname}:${port}${path}&vsn=2.0.0`)
    await new Promise((resolve) => socket.once('open', resolve))
    for (const frame of [
      '',
      'not json',
      '{}',
      '[]',
      'null',
      '[1,2,3,4,5]',
      '[null,"1","realtime:x","phx_join",null]',
    ])
      socket.send(frame)
    socket.send(Buffer.from([3, 255, 255, 255, 255, 255, 1]))
    socket.send(
      JSON.stringify([
        '1',
        '2',
        'realtime:company:x',
        'phx_join',
        { config: { private: true }, access_token: {} },
      ]),
    )
    const answers: unknown[] = []
    socket.on('message', (data) => void answers.push(JSON.parse(String(data))))
    socket.send(JSON.stringify([null, '9', 'phoenix', 'heartbeat', {}]))
    await expect.poll(() => JSON.stringify(answers.at(-1)), { timeout: 30_000 }).toContain('"9","phoenix"')
    socket.send('x'.repeat(100_000))
    await new Promise((resolve) => socket.once('close', resolve))
    expect((await fetch(`${backend.url}/healthz`)).status).toBe(200)
  })

  it('closes a connection that never says who it is', async () => {
    expect(await silent).toBe(1006)
  })
})
