import { describe, expect, it, vi } from 'vitest'
import { deadlockFetch } from '@/data/deadlock'

const answer = (status: number, body: object) => new Response(JSON.stringify(body), { status })
const deadlock = () => answer(500, { code: '40P01', message: 'deadlock detected' })
const URL = 'http://localhost/rest/v1/groups'

describe('a write that ended in a deadlock', () => {
  it('is repeated until it is written', async () => {
    const send = vi
      .fn()
      .mockResolvedValueOnce(deadlock())
      .mockResolvedValueOnce(deadlock())
      .mockResolvedValueOnce(answer(201, []))
    const init = { method: 'POST', body: '{"name":"a"}' }
    expect((await deadlockFetch(send)(URL, init)).status).toBe(201)
    expect(send.mock.calls).toEqual([
      [URL, init],
      [URL, init],
      [URL, init],
    ])
  })

  it('is told after the third time, with its answer unread', async () => {
    const send = vi.fn().mockImplementation(async () => deadlock())
    const response = await deadlockFetch(send)(URL)
    expect(await response.json()).toMatchObject({ code: '40P01' })
    expect(send).toHaveBeenCalledTimes(3)
  })

  it('is not repeated when its page is left', async () => {
    const send = vi.fn().mockImplementation(async () => deadlock())
    const left = new AbortController()
    const asked = deadlockFetch(send)(URL, { signal: left.signal })
    left.abort()
    await expect(asked).rejects.toThrow(/abort/i)
    expect(send).toHaveBeenCalledOnce()
  })

  it.each([
    ['another error', () => answer(409, { code: '23505' })],
    ['no JSON', () => new Response('busy', { status: 503 })],
    ['success', () => answer(200, { code: '40P01' })],
  ])('nothing else is: %s', async (_name, response) => {
    const send = vi.fn().mockImplementation(async () => response())
    await deadlockFetch(send)(URL)
    expect(send).toHaveBeenCalledOnce()
  })
})
