import { afterEach, describe, expect, it, vi } from 'vitest'
import { uploadPackage } from '@/data/package-upload'

vi.mock('@/data/client', () => ({
  config: { url: 'http://console.test', key: 'key' },
  supabase: { auth: { getSession: async () => ({ data: { session: null } }) } },
}))

const MB = 1024 * 1024
const file = new File([new Uint8Array(3 * MB)], 'erp.msi')
const ok = () => new Response('{}')
const refuse = (status: number, hint?: string) => Response.json({ message: 'no', hint }, { status })

describe('the upload of a package', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })

  function answers(...each: (() => Response | Promise<never>)[]) {
    const fetched = vi.spyOn(globalThis, 'fetch')
    for (const answer of each) fetched.mockImplementationOnce(async () => answer())
    fetched.mockImplementation(async () => ok())
    return () =>
      fetched.mock.calls.map(
        ([url, init]) =>
          `${init?.method} ${String(url).split('/').at(-1)} ${init?.body instanceof Blob ? init.body.size : '-'}`,
      )
  }
  const run = async (signal = new AbortController().signal) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const progress: number[] = []
    const done = uploadPackage('id', file, { signal, onProgress: (sent) => progress.push(sent) }).then(
      () => 'sent',
      (error: unknown) => error,
    )
    await vi.runAllTimersAsync()
    return [await done, progress]
  }

  it('sends pieces one after the other, and tells how far it is', async () => {
    const calls = answers()
    expect(await run()).toEqual(['sent', [2 * MB, 3 * MB]])
    expect(calls()).toEqual([`PUT id?offset=0 ${2 * MB}`, `PUT id?offset=${2 * MB} ${MB}`])
  })

  it('sends a piece again after a lost connection, and goes on when the server has it', async () => {
    const calls = answers(
      () => Promise.reject(new TypeError('Failed to fetch')),
      () => refuse(409, 'upload_offset'),
      () => refuse(503),
    )
    expect((await run())[0]).toBe('sent')
    expect(calls()).toHaveLength(4)
  })

  it('gives up what is refused, with the rule that it breaks', async () => {
    const calls = answers(() => refuse(507, 'upload_disk'))
    expect((await run())[0]).toMatchObject({ rule: 'upload_disk' })
    expect(calls().at(-1)).toBe('DELETE id -')
  })

  it('tells the server when it is canceled', async () => {
    const abort = new AbortController()
    const calls = answers(() => {
      abort.abort()
      return ok()
    })
    expect((await run(abort.signal))[0]).toMatchObject({ name: 'AbortError' })
    expect(calls()).toEqual([`PUT id?offset=0 ${2 * MB}`, 'DELETE id -'])
  })
})
