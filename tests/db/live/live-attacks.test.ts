import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SupabaseClient } from '@supabase/supabase-js'
import { decodeJwt, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Account, createAccount, createCompany } from '../../support/accounts'
import { drivers, plainClient, type TestBackend, testBackend } from '../../support/backend'
import { type AsUser, asUser } from '../support/as-user'
import { type Ear, heardOf, listen } from '../support/live-ears'

describe.each(drivers('listen'))('nobody hears of another company, on %s', (driver) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'konsol-live-'))
  const clients: SupabaseClient[] = []
  let backend: TestBackend
  let as: AsUser
  let [own, other] = ['', '']
  let superAdmin: Account
  let admin: Account
  let standard: Account
  let stranger: Account

  beforeAll(async () => {
    backend = await testBackend({ driver, dataDir, demo: false })
    as = await asUser(backend)
    own = await createCompany(backend)
    other = await createCompany(backend)
    superAdmin = await createAccount(backend, 'Super Admin', null)
    admin = await createAccount(backend, 'Admin', own)
    standard = await createAccount(backend, 'Standard', own)
    stranger = await createAccount(backend, 'Admin', other)
  })
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.removeAllChannels()
  })
  afterAll(async () => {
    await backend?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const signedIn = async ({ email }: Account) => {
    const client = await backend.client(email)
    clients.push(client)
    await client.realtime.setAuth()
    return client
  }
  const hears = async (who: Account, topic: string) => listen(await signedIn(who), topic)
  const made = async (table: 'groups' | 'tickets', company: string): Promise<string> => {
    const statement = {
      groups: `insert into public.groups (company_id, name) values ($1, gen_random_uuid()) returning id`,
      tickets: `insert into public.tickets (company_id, subject) values ($1, 'Subject') returning id`,
    }
    const [row] = await backend.sql<{ id: string }>(statement[table], [company])
    return row?.id ?? ''
  }
  const told = (ear: Ear, id: string) => expect.poll(() => heardOf(ear, id)).toBe(true)
  /** A role that lists some rows of a table hears that it changed, and not which rows. */
  const toldOf = (ear: Ear, table: string) =>
    expect.poll(() => ear.heard.some((change) => change.table === table)).toBe(true)
  const refused = (ear: Ear) => expect.poll(() => ear.states.at(-1)).toBe('CHANNEL_ERROR')

  it('the server and the policy of hosted Realtime let the same people join the same topics', async () => {
    const topics = [
      ...[own, other, own.toUpperCase(), `${own} `, '*', '%'].map((id) => `company:${id}`),
      ...['platform', `user:${admin.id}`, `user:${stranger.id}`, 'company:', 'user:', `x:${own}`],
    ]
    for (const who of [superAdmin, admin, standard, stranger]) {
      const client = await signedIn(who)
      for (const topic of topics) {
        const [answer] = (await as(who.id, `select app.can_listen('${topic}') as may`)).data ?? []
        // The embedded server knows no Super Admin of a company that does not exist; nobody writes there.
        if (who === superAdmin && topic.startsWith('company:') && ![own, other].includes(topic.slice(8)))
          continue
        const state = (await listen(client, topic)).states[0]
        expect([who.email, topic, state === 'SUBSCRIBED']).toEqual([who.email, topic, answer?.may])
      }
    }
  })

  it('a Standard user hears that a table of which they list some rows changed, without ids, and nothing else', async () => {
    const [ear, witness] = [await hears(standard, `company:${own}`), await hears(admin, `company:${own}`)]
    const group = await made('groups', own)
    await told(witness, group)
    const ticket = await made('tickets', own)
    await toldOf(ear, 'tickets')
    for (const id of [group, ticket]) expect(heardOf(ear, id)).toBe(false)
  })

  it('a token that was forged, has run out or is another’s opens nothing', async () => {
    const client = await signedIn(stranger)
    const token = (await client.auth.getSession()).data.session?.access_token ?? ''
    const { jwtSecret } = JSON.parse(readFileSync(join(dataDir, 'keys.json'), 'utf8')) as {
      jwtSecret: string
    }
    const signed = (claims: Record<string, unknown>, seconds: number, secret = jwtSecret) =>
      new SignJWT({ ...decodeJwt(token), ...claims, exp: Math.floor(Date.now() / 1000) + seconds })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .sign(new TextEncoder().encode(secret))
    const joins = async (forged: string, topic: string) => {
      const plain = plainClient(backend.url, backend.publishableKey)
      clients.push(plain)
      await plain.realtime.setAuth(forged)
      return listen(plain, topic)
    }
    // Another's account in the token, with the stranger's own session; another company; another secret; too late.
    for (const forged of [
      await signed({ sub: admin.id }, 600),
      await signed({ company_id: own, app_metadata: { company_id: own, role: 'Super Admin' } }, 600),
      await signed({}, 600, 'x'.repeat(48)),
      await signed({}, -1),
    ])
      expect((await joins(forged, `company:${own}`)).states[0]).toBe('CHANNEL_ERROR')

    // A token that runs out while it listens is told nothing more.
    const ear = await joins(await signed({}, 6), `company:${other}`)
    expect(ear.states[0]).toBe('SUBSCRIBED')
    await told(ear, await made('groups', other))
    await expect
      .poll(async () => {
        await made('groups', other)
        return ear.states.at(-1)
      })
      .toBe('CHANNEL_ERROR')
  })

  it('an account that is switched off hears nothing more', async () => {
    const leaver = await createAccount(backend, 'Teknik', own)
    const [ear, witness] = [await hears(leaver, `company:${own}`), await hears(admin, `company:${own}`)]
    await told(ear, await made('groups', own))
    const { data } = await (await signedIn(admin)).rpc('deactivate_users', { ids: [leaver.id] })
    expect(data).toBe(1)
    const group = await made('groups', own)
    await told(witness, group)
    await refused(ear)
    expect(heardOf(ear, group)).toBe(false)
  })

  it('a role that is lowered while it listens hears less, a company that changes another one', async () => {
    const mover = await createAccount(backend, 'Admin', own)
    const [ear, witness] = [await hears(mover, `company:${own}`), await hears(admin, `company:${own}`)]
    await told(ear, await made('groups', own))
    await backend.sql(`update public.user_roles set role = 'Standard' where user_id = $1`, [mover.id])
    const group = await made('groups', own)
    await told(witness, group)
    await made('tickets', own)
    await toldOf(ear, 'tickets')
    expect(heardOf(ear, group)).toBe(false)

    await backend.sql(`update public.user_roles set company_id = $2 where user_id = $1`, [mover.id, other])
    const ticket = await made('tickets', own)
    await told(witness, ticket)
    await refused(ear)
    expect(heardOf(ear, ticket)).toBe(false)
    // The company that was left is told that its row is gone.
    expect(witness.heard).toContainEqual({ table: 'user_roles', op: 'delete', ids: [mover.id] })
  })

  it('people’s names are told to those who may list people, in their company and on the platform', async () => {
    const [ear, strangers] = [await hears(admin, `company:${own}`), await hears(stranger, `company:${other}`)]
    const [low, platform] = [await hears(standard, `company:${own}`), await hears(superAdmin, 'platform')]
    const change = { table: 'profiles', op: 'update', ids: [standard.id] }
    // A change that no screen shows is not told.
    await backend.sql(`update public.profiles set updated_at = now() where id = $1`, [admin.id])
    await backend.sql(`update public.profiles set name = 'Başka Ad' where id = $1`, [standard.id])
    await expect.poll(() => ear.heard).toContainEqual(change)
    await expect.poll(() => platform.heard).toContainEqual(change)
    await told(strangers, await made('groups', other))
    await made('tickets', own)
    await toldOf(low, 'tickets')
    for (const deaf of [strangers, low]) expect(heardOf(deaf, standard.id)).toBe(false)
    expect(ear.heard.filter(({ table }) => table === 'profiles')).toEqual([change])
  })
})
