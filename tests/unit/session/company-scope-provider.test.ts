// @vitest-environment happy-dom
import { createClient } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { readCompanies } from '@/session/company-scope-provider'

/** An API of so many companies, which gives a thousand at most, and fails from a row on where told to. */
function api(count: number, brokenFrom = Number.POSITIVE_INFINITY) {
  const asked: number[] = []
  const answer = async (input: RequestInfo | URL) => {
    const query = new URL(String(input)).searchParams
    const [from, most] = [Number(query.get('offset')), Number(query.get('limit'))]
    asked.push(from)
    if (from >= brokenFrom) return Response.json({ message: 'gone' }, { status: 400 })
    const length = Math.max(0, Math.min(most, 1000, count - from))
    return Response.json(Array.from({ length }, (_none, index) => ({ id: `${from + index}`, name: 'x' })))
  }
  // Node 20 has no sockets of its own, and the client asks for them before it is asked for anything.
  const realtime = { transport: WebSocket as never }
  return { asked, client: createClient('http://api.test', 'key', { global: { fetch: answer }, realtime }) }
}

describe('the companies to choose from', () => {
  it.each([
    [0, [0]],
    [999, [0]],
    [1000, [0, 1000]],
    [2345, [0, 1000, 2000]],
  ])('are all %i there are, a thousand at a time', async (count, pieces) => {
    const { asked, client } = api(count)
    const companies = await readCompanies(client)
    expect(new Set(companies?.map(({ id }) => id)).size).toBe(count)
    expect(asked).toEqual(pieces)
  })

  it('are none rather than a part, so that no choice is taken for removed', async () => {
    expect(await readCompanies(api(2345, 1000).client)).toBeNull()
  })
})
