import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { drivers, plainClient, type TestBackend, testBackend } from '../../support/backend'
import { patience } from '../../support/patience'
import { fleetOf } from '../support/agent-functions-fleet'
import { type Ear, heardOf, listen } from '../support/live-ears'

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
    await expect.poll(() => heardOf(own, device)).toBe(true)
    expect(own.heard.find((change) => change.ids.includes(device))).toMatchObject({ table: 'devices' })
    await expect.poll(() => heardOf(platform, device)).toBe(true)
    // The other company's next message is its own: the message before it never came.
    const theirs = await touchDevice(globex)
    await expect.poll(() => heardOf(other, theirs)).toBe(true)
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
    await expect.poll(() => heardOf(own, joined.device_id)).toBe(true)
    const message = own.heard.find(({ ids }) => ids.includes(joined.device_id))
    expect(message).toMatchObject({ table: 'group_devices', op: 'insert' })
    expect(message?.ids).toContain(joined.group_id)
  })

  describe('the origin in a message', () => {
    const origin = '0123456789abcdef'.repeat(2)
    let acme: string
    let client: SupabaseClient
    let ear: Ear

    beforeEach(async () => {
      acme = await companyId('Acme')
      client = await signedIn('admin@acme.test')
      ear = await listen(client, `company:${acme}`)
    })
    const originsOf = async (id: string, count = 1) => {
      const messages = () => ear.heard.filter(({ ids }) => ids.includes(id))
      await expect.poll(() => messages().length).toBeGreaterThanOrEqual(count)
      return messages().map((message) => message.origin)
    }
    const addGroup = async (header: string, writer = client) => {
      const { data, error } = await writer
        .from('groups')
        .insert({ company_id: acme, name: randomUUID() })
        .select('id')
        .single<{ id: string }>()
        .setHeader('x-origin-id', header)
      expect(error).toBeNull()
      return data?.id ?? ''
    }

    it('is the page load whose request wrote, also through a function', async () => {
      const group = await addGroup(origin)
      expect(await originsOf(group)).toEqual([origin])
      const rows = [{ id: group, version: 1, changes: { name: randomUUID() } }]
      const { data, error } = await client
        .rpc('save_rows', { resource: 'groups', rows })
        .setHeader('x-origin-id', origin)
      expect([error, data]).toMatchObject([null, [{ id: group, outcome: 'changed' }]])
      expect(await originsOf(group, 2)).toEqual([origin, origin])
      // The connection keeps nothing of it: the next write, without a header, is the server's own.
      const device = await touchDevice(acme)
      expect(await originsOf(device)).toEqual([undefined])
    })

    it('stays with an invitation until the server has sent its mail', async () => {
      const email = `${randomUUID()}@acme.test`
      const { error } = await client
        .from('users')
        .insert({ name: 'Invited Person', email, role: 'Standard' })
        .setHeader('x-origin-id', origin)
      expect(error).toBeNull()
      const [user] = await backend.sql<{ id: string }>('select id from public.profiles where email = $1', [
        email,
      ])
      expect(await originsOf(user?.id ?? '', 2)).toEqual([origin, origin])
    })

    it('is dropped when it has another form', async () => {
      const others = ['', '1', origin.toUpperCase(), `${origin}0`, `"},${origin}`, 'f'.repeat(8000)]
      for (const header of others) expect(await originsOf(await addGroup(header))).toEqual([undefined])
    })

    it('is not taken from agents, from requests without a user, or by the tick', async () => {
      const fleet = fleetOf(backend, acme, { 'x-origin-id': origin })
      const { device_id: device } = await fleet.enroll()
      expect(new Set(await originsOf(device))).toEqual(new Set([undefined]))
      const service = plainClient(backend.url, backend.serviceKey)
      expect(await originsOf(await addGroup(origin, service))).toEqual([undefined])
      // As hosted PostgREST passes the headers of an agent.
      const [group] = await backend.sql<{ id: string }>(
        `with request as materialized (select set_config('request.headers', $2, true))
         insert into public.groups (company_id, name) select $1, gen_random_uuid() from request returning id`,
        [acme, JSON.stringify({ 'x-origin-id': origin })],
      )
      expect(await originsOf(group?.id ?? '')).toEqual([undefined])
      await backend.sql(
        `update app.tick_state set last_tick_at = now(), gap_ended_at = now() - interval '1 week' where only_row`,
      )
      // The demo devices were silent for long: a message about all of them would name none.
      await backend.sql('select app.tick()')
      const [silent] = await backend.sql<{ id: string }>(
        `with made as (insert into public.devices (company_id, name, status, offline_since)
           values ($1, 'Silent', 'online', null) returning id)
         insert into public.device_presence (company_id, device_id, online, last_seen_at, interval_seconds)
         select $1, id, true, now() - interval '1 day', 60 from made returning device_id as id`,
        [acme],
      )
      await backend.sql('select app.tick()')
      // Added, then found offline.
      expect(await originsOf(silent?.id ?? '', 2)).toEqual([undefined, undefined])
    })
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
    await expect.poll(() => heardOf(admin, device)).toBe(true)
    await backend.sql(`update public.companies set seats = coalesce(seats, 0) + 1 where id = $1`, [acme])
    await expect.poll(() => heardOf(standard, acme)).toBe(true)
    expect(heardOf(standard, device)).toBe(false)
  })

  it('tells everybody of their own role, and of no other', async () => {
    const acme = await companyId('Acme')
    const standard = await listen(await signedIn('standard@acme.test'), `company:${acme}`)
    const touch = async (email: string) => {
      const [row] = await backend.sql<{ id: string }>(
        `update public.user_roles set role = role
         where user_id = (select id from auth.users where email = $1) returning user_id as id`,
        [email],
      )
      return row?.id ?? ''
    }
    const other = await touch('teknik@acme.test')
    const own = await touch('standard@acme.test')
    await expect.poll(() => heardOf(standard, own)).toBe(true)
    expect(heardOf(standard, other)).toBe(false)
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
    await expect.poll(() => heardOf(witness, device)).toBe(true)
    await expect.poll(() => ear.states.at(-1)).toBe('CHANNEL_ERROR')
    expect(heardOf(ear, device)).toBe(false)
    await move(acme)
    await expect.poll(() => ear.states.at(-1), { timeout: patience(60_000) }).toBe('SUBSCRIBED')
  })

  it('takes the topic from a session that ends', async () => {
    const acme = await companyId('Acme')
    const ear = await listen(await signedIn('standard@acme.test'), `company:${acme}`)
    expect(ear.states[0]).toBe('SUBSCRIBED')
    await backend.sql(
      `select app.end_sessions((select id from auth.users where email = 'standard@acme.test'))`,
    )
    await expect.poll(() => ear.states.at(-1)).toBe('CHANNEL_ERROR')
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
    await expect.poll(() => JSON.stringify(answers.at(-1))).toContain('"9","phoenix"')
    socket.send('x'.repeat(100_000))
    await new Promise((resolve) => socket.once('close', resolve))
    expect((await fetch(`${backend.url}/healthz`)).status).toBe(200)
  })

  it('closes a connection that never says who it is', async () => {
    expect(await silent).toBe(1006)
  })
})
