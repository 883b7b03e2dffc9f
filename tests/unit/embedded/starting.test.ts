import { createHash } from 'node:crypto'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeHttp, listen } from '../../../supabase/embedded/http/listener'
import { startingListener } from '../../../supabase/embedded/http/starting'
import type { StartProgress } from '../../../supabase/embedded/start-progress'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('a server that is starting', () => {
  let http: Server
  let url: string
  let progress: StartProgress = { step: 'database', done: 0, total: 1 }
  beforeAll(async () => {
    ;({ http } = await listen(
      0,
      '127.0.0.1',
      startingListener(() => progress),
    ))
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  })
  afterAll(() => closeHttp(http))

  it('shows a page in both languages to whoever opens the console, and lets nobody cache or frame it', async () => {
    const answer = await fetch(`${url}/devices?sort=name`, { headers: HTML })
    const page = await answer.text()
    expect(answer.status).toBe(503)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    expect(page).toContain('Konsol is starting')
    expect(page).toContain('Konsol başlatılıyor')
    const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(page) ?? []
    const hash = createHash('sha256').update(script).digest('base64')
    expect(answer.headers.get('content-security-policy')).toContain(`script-src 'self' 'sha256-${hash}'`)
  })

  it('tells the health check how far it is', async () => {
    progress = { step: 'migrations', done: 3, total: 9 }
    const answer = await fetch(`${url}/healthz`, { headers: HTML })
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({ ok: false, starting: { step: 'migrations', done: 3, total: 9 } })
  })

  it('refuses calls of the API as PostgREST does without its database', async () => {
    const answer = await fetch(`${url}/auth/v1/token?grant_type=password`, { method: 'POST', headers: HTML })
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(await answer.json()).toMatchObject({ code: '57P03', message: 'Konsol is starting' })
  })
})
