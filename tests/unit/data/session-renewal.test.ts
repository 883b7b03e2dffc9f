import { afterEach, describe, expect, it, vi } from 'vitest'
import { renewingFetch, setSessionRenewal } from '@/data/session-renewal'

const URL = 'http://localhost/rest/v1/groups'
const init = (token: string) => ({
  method: 'POST',
  headers: { Authorization: `Bearer ${token}` },
  body: '{}',
})

/** Answers 401 to every token but `valid`. */
function backend(valid: string) {
  return vi.fn(async (_input: RequestInfo | URL, options?: RequestInit) => {
    const isValid = new Headers(options?.headers).get('Authorization') === `Bearer ${valid}`
    return new Response(isValid ? '[]' : '{"code":"42501"}', { status: isValid ? 201 : 401 })
  })
}

afterEach(() => setSessionRenewal(null))

describe('renewingFetch', () => {
  it('repeats a refused request with the new token, body included', async () => {
    const send = backend('new')
    setSessionRenewal(async (refused) => (refused === 'old' ? 'new' : null))
    const response = await renewingFetch(send)(URL, init('old'))
    expect(response.status).toBe(201)
    expect(send).toHaveBeenCalledTimes(2)
    expect(send.mock.lastCall?.[1]).toMatchObject({ method: 'POST', body: '{}' })
  })

  it('lets the refusal stand when nobody signs in', async () => {
    const send = backend('new')
    setSessionRenewal(async () => null)
    expect((await renewingFetch(send)(URL, init('old'))).status).toBe(401)
    expect(send).toHaveBeenCalledOnce()
  })

  it('repeats once only', async () => {
    const send = backend('never issued')
    setSessionRenewal(async () => 'new')
    expect((await renewingFetch(send)(URL, init('old'))).status).toBe(401)
    expect(send).toHaveBeenCalledTimes(2)
  })

  it('does not send a request that was canceled while it waited', async () => {
    const send = backend('new')
    const cancel = new AbortController()
    setSessionRenewal(async () => {
      cancel.abort()
      return 'new'
    })
    await expect(renewingFetch(send)(URL, { ...init('old'), signal: cancel.signal })).rejects.toThrow()
    expect(send).toHaveBeenCalledOnce()
  })

  it('repeats a write whose session ended while it ran, but not one that the role refuses', async () => {
    const refusal = (hint: string) => ({ code: '42501', message: 'no', hint })
    const refuses = (hint: string) =>
      vi.fn(async (_input: RequestInfo | URL, options?: RequestInit) => {
        const isOld = new Headers(options?.headers).get('Authorization') === 'Bearer old'
        return isOld ? Response.json(refusal(hint), { status: 403 }) : new Response('[]', { status: 201 })
      })
    setSessionRenewal(async () => 'new')
    expect((await renewingFetch(refuses('session'))(URL, init('old'))).status).toBe(201)
    const refused = await renewingFetch(refuses('role'))(URL, init('old'))
    expect(refused.status).toBe(403)
    expect(await refused.json()).toEqual(refusal('role'))
  })

  it('leaves the auth server’s own answers alone', async () => {
    const renew = vi.fn(async () => 'new')
    setSessionRenewal(renew)
    await renewingFetch(backend('new'))('http://localhost/auth/v1/token', init('old'))
    expect(renew).not.toHaveBeenCalled()
  })
})
