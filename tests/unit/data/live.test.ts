import { beforeEach, describe, expect, it, vi } from 'vitest'
import { supabase } from '@/data/client'
import { type LiveChange, subscribeToTopic } from '@/data/live'
import { PAGE_ORIGIN } from '@/data/origin'
import { liveProvider } from '@/refine/live-provider'
import { areDefinitionsOutdated, fetchDefinitions } from '@/ui/console-files'

vi.mock('@/data/client', () => ({ supabase: { channel: vi.fn(), realtime: { setAuth: vi.fn() } } }))

let topics = 0
let heard: LiveChange[]
let tell: (payload: unknown) => void
let tellVersions: (payload: unknown) => void

beforeEach(() => {
  heard = []
  const channel = {
    on: (_type: string, { event }: { event: string }, listener: (message: { payload: unknown }) => void) => {
      if (event === 'change') tell = (payload) => listener({ payload })
      else if (event === 'console') tellVersions = (payload) => listener({ payload })
      return channel
    },
    subscribe: () => channel,
  }
  vi.mocked(supabase.channel).mockReturnValue(channel as never)
  subscribeToTopic(`company:${++topics}`, (change) => heard.push(change))
})

it('tells of another version of the definitions that this page has loaded', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json([]))
  await fetchDefinitions()
  tellVersions({ definitions: 5 })
  expect(areDefinitionsOutdated()).toBe(false)
  tellVersions({ definitions: 'next', words: {} })
  expect(areDefinitionsOutdated()).toBe(true)
  expect(heard).toEqual([])
})

it('counts a file as the version that was received, not as the one that was asked for', async () => {
  const send = (etag: string) =>
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json([], { headers: { etag } }))
  tellVersions({ definitions: 'version-0001', words: {} })
  send('"version-0002"')
  await fetchDefinitions()
  expect(areDefinitionsOutdated()).toBe(true)
  tellVersions({ definitions: 'version-0002', words: {} })
  expect(areDefinitionsOutdated()).toBe(false)
  send('W/"version-0003"')
  await fetchDefinitions()
  expect(areDefinitionsOutdated()).toBe(true)
  // A tag of another server says nothing about the version.
  send('"66f1c2a4-1f00a"')
  await fetchDefinitions()
  expect(areDefinitionsOutdated()).toBe(false)
})

describe('a live message', () => {
  const message = { table: 'groups', op: 'UPDATE', ids: ['a'] }

  it('is own with the origin of this page load, and with no other', () => {
    tell({ ...message, origin: PAGE_ORIGIN })
    expect(heard).toEqual([{ table: 'groups', op: 'update', ids: ['a'], own: true }])
    for (const origin of [undefined, null, '', 'f'.repeat(32), [PAGE_ORIGIN]]) tell({ ...message, origin })
    expect(heard.slice(1).map(({ own }) => own)).toEqual(Array(5).fill(false))
  })

  it('of others is told again to a screen that opens after it, as what it may not have read', () => {
    const open = (table: string) => {
      const told: LiveChange[] = []
      liveProvider.subscribe({
        channel: `resources/${table}`,
        types: [],
        meta: { companyId: String(topics) },
        callback: ({ payload }) => told.push(payload.change as LiveChange),
      })
      return told
    }
    tell({ ...message, origin: PAGE_ORIGIN })
    expect(open('groups')).toEqual([])
    tell(message)
    expect(open('groups')).toEqual([
      { table: 'groups', op: '*', ids: [], own: false, readUntil: expect.any(Number) },
    ])
    expect(open('devices')).toEqual([])
  })

  it('needs a table; anything else unknown is left out', () => {
    for (const payload of [null, 'text', {}, { table: 1 }]) tell(payload)
    expect(heard).toEqual([])
    tell({ table: 'groups', op: 'truncate', ids: ['a', 1] })
    expect(heard).toEqual([{ table: 'groups', op: '*', ids: ['a'], own: false }])
  })
})
