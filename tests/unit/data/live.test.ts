import { beforeEach, describe, expect, it, vi } from 'vitest'
import { supabase } from '@/data/client'
import { type LiveChange, subscribeToTopic } from '@/data/live'
import { PAGE_ORIGIN } from '@/data/origin'

vi.mock('@/data/client', () => ({ supabase: { channel: vi.fn(), realtime: { setAuth: vi.fn() } } }))

let topics = 0
let heard: LiveChange[]
let tell: (payload: unknown) => void

beforeEach(() => {
  heard = []
  const channel = {
    on: (_type: string, _filter: object, listener: (message: { payload: unknown }) => void) => {
      tell = (payload) => listener({ payload })
      return channel
    },
    subscribe: () => channel,
  }
  vi.mocked(supabase.channel).mockReturnValue(channel as never)
  subscribeToTopic(`company:${++topics}`, (change) => heard.push(change))
})

describe('a live message', () => {
  const message = { table: 'groups', op: 'UPDATE', ids: ['a'] }

  it('is own with the origin of this page load, and with no other', () => {
    tell({ ...message, origin: PAGE_ORIGIN })
    expect(heard).toEqual([{ table: 'groups', op: 'update', ids: ['a'], own: true }])
    for (const origin of [undefined, null, '', 'f'.repeat(32), [PAGE_ORIGIN]]) tell({ ...message, origin })
    expect(heard.slice(1).map(({ own }) => own)).toEqual(Array(5).fill(false))
  })

  it('needs a table; anything else unknown is left out', () => {
    for (const payload of [null, 'text', {}, { table: 1 }]) tell(payload)
    expect(heard).toEqual([])
    tell({ table: 'groups', op: 'truncate', ids: ['a', 1] })
    expect(heard).toEqual([{ table: 'groups', op: '*', ids: ['a'], own: false }])
  })
})
