import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { originFetch, PAGE_ORIGIN } from '@/data/origin'

const send = vi.fn<typeof fetch>(async () => new Response('[]'))

beforeEach(() => vi.stubGlobal('fetch', send))
afterEach(() => {
  vi.unstubAllGlobals()
  send.mockClear()
})

const sentOrigin = () => new Headers(send.mock.lastCall?.[1]?.headers).get('x-origin-id')

describe('originFetch', () => {
  it.each([
    ['POST', 'rest/v1/groups', PAGE_ORIGIN],
    ['PATCH', 'rest/v1/groups?id=eq.1', PAGE_ORIGIN],
    ['DELETE', 'rest/v1/groups?id=eq.1', PAGE_ORIGIN],
    ['POST', 'rest/v1/rpc/save_rows', PAGE_ORIGIN],
    ['GET', 'rest/v1/groups?select=id', null],
    ['HEAD', 'rest/v1/groups?select=id', null],
    // The CORS settings of hosted GoTrue refuse unknown headers.
    ['POST', 'auth/v1/token', null],
  ])('%s %s', async (method, path, expected) => {
    await originFetch(`http://localhost/${path}`, { method, headers: { apikey: 'key' }, body: null })
    expect(sentOrigin()).toBe(expected)
    expect(send.mock.lastCall?.[1]).toMatchObject({ method, body: null })
    expect(new Headers(send.mock.lastCall?.[1]?.headers).get('apikey')).toBe('key')
  })

  it('sends an id in the form that the database accepts', () => {
    expect(PAGE_ORIGIN).toMatch(/^[0-9a-f]{32}$/)
  })
})
