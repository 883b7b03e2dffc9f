import { afterEach, describe, expect, it, vi } from 'vitest'
import { jsonRefusal, storableJson } from '../../../supabase/embedded/database/json-body.mjs'
import {
  BodiesTooMany,
  BodyBudget,
  BodyTooLarge,
  BodyUnfinished,
  readBody,
} from '../../../supabase/embedded/http/body'

const bytes = (text: string) => new TextEncoder().encode(text)

/** A request whose body comes when `send` is called. */
function slowRequest() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
    },
  })
  const request = new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit)
  return {
    request,
    send: (size: number) => controller?.enqueue(new Uint8Array(size)),
    end: () => controller?.close(),
  }
}

afterEach(() => vi.useRealTimers())

describe('readBody', () => {
  it('gives up on a body that stops coming after ten seconds', async () => {
    vi.useFakeTimers()
    const { request, send } = slowRequest()
    send(100)
    const read = expect(readBody(request, 1_000_000)).rejects.toBeInstanceOf(BodyUnfinished)
    await vi.advanceTimersByTimeAsync(10_100)
    await read
  })

  it('refuses the sender of hundreds of bodies that stop coming, and nobody else', async () => {
    vi.useFakeTimers()
    const budget = new BodyBudget(10_000_000, 10_000_000)
    const stuck = Array.from({ length: 200 }, () => {
      const lease = budget.lease('a')
      return readBody(slowRequest().request, 1000, lease).catch(lease.release)
    })
    await vi.advanceTimersByTimeAsync(10_100)
    await Promise.all(stuck)
    const body = () => new Request('http://localhost/', { method: 'POST', body: 'x' })
    await expect(readBody(body(), 1000, budget.lease('a'))).rejects.toBeInstanceOf(BodiesTooMany)
    expect(await readBody(body(), 1000, budget.lease('b'))).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(300_000)
    expect(await readBody(body(), 1000, budget.lease('a'))).toHaveLength(1)
  })

  it('takes a client that goes away for no failure of ours', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('aborted')) })
    const request = new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit)
    await expect(readBody(request, 1000)).rejects.toBeInstanceOf(BodyUnfinished)
  })

  it('waits longer for a large body that keeps coming', async () => {
    vi.useFakeTimers()
    const { request, send, end } = slowRequest()
    const read = readBody(request, 10_000_000)
    for (let second = 0; second < 30; second++) {
      send(20_000)
      await vi.advanceTimersByTimeAsync(1_000)
    }
    end()
    expect((await read)?.byteLength).toBe(600_000)
  })

  it('reads nothing beyond its limit', async () => {
    const { request, send } = slowRequest()
    send(17)
    await expect(readBody(request, 16)).rejects.toBeInstanceOf(BodyTooLarge)
  })

  it('takes no more memory than its sender has left, and gives it back', async () => {
    const budget = new BodyBudget(300_000, 100_000)
    const first = budget.lease('a')
    const held = new Request('http://localhost/', { method: 'POST', body: 'x'.repeat(90_000) })
    await readBody(held, 1_000_000, first)
    const next = () => new Request('http://localhost/', { method: 'POST', body: 'x'.repeat(20_000) })
    await expect(readBody(next(), 1_000_000, budget.lease('a'))).rejects.toBeInstanceOf(BodiesTooMany)
    expect((await readBody(next(), 1_000_000, budget.lease('b')))?.byteLength).toBe(20_000)
    first.release()
    first.release()
    expect((await readBody(next(), 1_000_000, budget.lease('a')))?.byteLength).toBe(20_000)
  })

  it('counts each open body, however little of it has come', () => {
    const budget = new BodyBudget(16 * 1024, 16 * 1024)
    const leases = Array.from({ length: 4 }, (_, n) => budget.lease(`address ${n}`))
    for (const lease of leases) lease.grow(1)
    expect(() => budget.lease('another').grow(1)).toThrow(BodiesTooMany)
    leases[0]?.settle(1)
    leases[1]?.release()
    expect(() => budget.lease('another').grow(1)).not.toThrow()
  })
})

describe('jsonRefusal', () => {
  it.each(['{"a":"ışık 😀"}', '{"a":"\\ud83d\\ude00"}', '{"a":"\\\\ud800"}', '', 'no json'])(
    'takes %s',
    (text) => expect(jsonRefusal(bytes(text))).toBeNull(),
  )

  it.each(['{"a":"\\ud800"}', '[{"a":["\\uDFFF"]}]', '{"\\udabc":1}', '{"a":"\\ude00\\ud83d"}'])(
    'refuses half a character: %s',
    (text) => expect(jsonRefusal(bytes(text))).toBe('The request body holds half of a character'),
  )

  it('refuses bytes that are no text', () => {
    expect(jsonRefusal(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBe(
      'The request body is not valid UTF-8',
    )
  })
})

describe('storableJson', () => {
  it.each([
    ['{"a":"x\\u0000y"}', '{"a":"xy"}'],
    ['{"a":"\\\\u0000"}', '{"a":"\\\\u0000"}'],
    ['{"a":"\\\\\\u0000"}', '{"a":"\\\\"}'],
    ['{"a":"\\ud83d\\ude00"}', '{"a":"\\ud83d\\ude00"}'],
    ['{"a":"\\ud83d"}', '{"a":"\\ufffd"}'],
    ['{"a":"\\ude00\\ud83d"}', '{"a":"\\ufffd\\ufffd"}'],
    ['{"a":"\\ud83d\\ud83d\\ude00"}', '{"a":"\\ufffd\\ud83d\\ude00"}'],
    ['{"\\u0000a":["\\uD800\\u0041"]}', '{"a":["\\ufffd\\u0041"]}'],
    ['{"a":"ışık"}', '{"a":"ışık"}'],
  ])('makes of %s', (text, storable) => {
    expect(storableJson(text)).toBe(storable)
    expect(() => JSON.parse(storable)).not.toThrow()
  })
})
