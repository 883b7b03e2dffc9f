import { createReadStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import type { Files } from '../../../supabase/embedded/files/files'
import { httpServer, keys } from '../../support/http-server'

const RIGHT = 'right'

/** A database in which every device has the same secret. */
function site(rateLimitFactor: number) {
  let calls = 0
  const server = httpServer({
    rateLimitFactor,
    query: async (_sql, [json = '']) => {
      calls++
      const { secret } = JSON.parse(json) as { secret: string }
      if (secret === RIGHT) return [{ answer: {} }]
      throw Object.assign(new Error('no'), { code: '42501' })
    },
  })
  const checkIn = async (device: string, secret = RIGHT) => {
    const answer = await server.ask('/rest/v1/rpc/agent_check_in', {
      method: 'POST',
      headers: { apikey: keys.publishableKey },
      body: JSON.stringify({ payload: { device_id: device, secret } }),
    })
    return answer.status
  }
  return { checkIn, calls: () => calls }
}

/** The id with some of its letters in upper case, another spelling for each number. */
const spelled = (id: string, n: number) =>
  [...id].map((sign, at) => ((n >> at) & 1 ? sign.toUpperCase() : sign)).join('')

const devices = (count: number) => Array.from({ length: count }, (_, n) => `device ${n}`)

describe('the check-ins of a site behind one address', () => {
  it('are all answered, also when 2,500 devices come at once', async () => {
    const { checkIn } = site(1)
    const statuses = await Promise.all(devices(2_500).map((device) => checkIn(device)))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('go on for known devices while somebody there guesses', async () => {
    const { checkIn, calls } = site(0.01)
    expect(await checkIn('device 1')).toBe(200)
    const guesses: number[] = []
    for (let n = 0; n < 12; n++) guesses.push(await checkIn(`guess ${n}`, 'wrong'))
    expect(guesses).toEqual([...Array(10).fill(401), 429, 429])
    expect(calls()).toBe(11)
    expect(await checkIn('device 1')).toBe(200)
    // The address may no longer try others.
    expect(await checkIn('device 2')).toBe(429)
    expect(await checkIn('device 1', 'wrong')).toBe(429)
  })

  it('are limited by device, however right the secret is', async () => {
    const { checkIn } = site(0.01)
    const statuses: number[] = []
    for (let n = 0; n < 10; n++) statuses.push(await checkIn('device 1'))
    expect(statuses).toEqual([...Array(7).fill(200), 429, 429, 429])
    expect(await checkIn('device 2')).toBe(200)
  })

  it('are limited together, however the id of the device is spelled', async () => {
    const { checkIn } = site(0.01)
    const statuses: number[] = []
    for (let n = 0; n < 10; n++) statuses.push(await checkIn(spelled('abcdefab', n)))
    expect(statuses).toEqual([...Array(7).fill(200), 429, 429, 429])
    // A wrong secret, too: three guesses at one device in this time.
    const guesses: number[] = []
    for (let n = 0; n < 3; n++) guesses.push(await checkIn(spelled('fedcba', n), 'wrong'))
    expect(guesses).toEqual([401, 429, 429])
  })
})

describe('downloads of packages', () => {
  /** A database in which the first sign of a device's id names its company. */
  function store() {
    const { ask } = httpServer({
      query: async (_sql, [device = '']) => [
        { answer: { path: 'package', size_bytes: 1, company: device[0]?.toLowerCase() } },
      ],
      files: { read: async () => createReadStream(fileURLToPath(import.meta.url)) } as unknown as Files,
    })
    return async (device: string) => {
      const { status, body } = await ask('/agent/package', {
        method: 'POST',
        headers: { apikey: keys.publishableKey },
        body: JSON.stringify({ payload: { device_id: device, secret: RIGHT, run_id: 'run' } }),
        unread: true,
      })
      if (status === 200) opened.push(body)
      return status
    }
  }
  const opened: (ReadableStream | null)[] = []
  afterEach(async () => {
    for (const body of opened.splice(0)) await body?.cancel()
  })

  it('are two at once for a device, however its id is spelled and however they arrive', async () => {
    const download = store()
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, n) => download(spelled('abcdef', n))))
    expect(statuses.filter((status) => status === 200)).toHaveLength(2)
    expect(statuses.filter((status) => status === 429)).toHaveLength(18)
    expect(await download('b')).toBe(200)
  })

  it('are 32 for a company, and 64 for all', async () => {
    const download = store()
    const taken = async (company: string, count: number) => {
      const statuses = await Promise.all(Array.from({ length: count }, (_, n) => download(`${company}${n}`)))
      return statuses.filter((status) => status === 200).length
    }
    expect(await taken('a', 40)).toBe(32)
    expect(await taken('b', 10)).toBe(10)
    expect(await taken('c', 40)).toBe(22)
  })
})

it('asks the database only for the credential when a stranger sends a large body', async () => {
  const sent: string[] = []
  const { ask } = httpServer({
    query: async (sql, parameters) => {
      sent.push(...parameters)
      if (parameters.includes(RIGHT) || sql.includes('agent_report')) return [{ answer: {} }]
      throw Object.assign(new Error('no'), { code: 'PT401' })
    },
  })
  const report = async (secret: string, name = 'agent_report') => {
    const payload = { device_id: 'device 1', secret, results: ['x'.repeat(100_000)] }
    const answer = await ask(`/rest/v1/rpc/${name}`, {
      method: 'POST',
      headers: { apikey: keys.publishableKey },
      body: JSON.stringify({ payload }),
    })
    return answer.status
  }
  expect(await report('wrong')).toBe(401)
  expect(await report('a'.repeat(1_000_000))).toBe(401)
  expect(await report('wrong', 'agent_enroll')).toBe(413)
  expect(Math.max(...sent.map(({ length }) => length))).toBe(257)
  expect(await report(RIGHT)).toBe(200)
})
