import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { WebSocket } from 'ws'
import { findChromium } from '../../scripts/chromium'

type Send = <Result = unknown>(method: string, params?: object) => Promise<Result>

/** A Chromium that nothing holds on to, to be measured as it is at its user's. */
export interface BareBrowser {
  /** Where Playwright may take hold of it for a while. */
  url: string
  send: Send
  attachToPage: () => Promise<Send>
  stop: () => Promise<void>
}

interface Answer {
  result?: unknown
  error?: { message: string }
}

/** Where it listens, once it does: it writes the port into a file. */
async function debuggingPort(profile: string): Promise<[port: string, path: string]> {
  const file = join(profile, 'DevToolsActivePort')
  for (let tries = 0; tries < 300; tries++) {
    const [port, path] = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    if (port && path) return [port, path]
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('Chromium did not start')
}

export async function startBareBrowser(): Promise<BareBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'konsol-chromium-'))
  const child = spawn(
    findChromium() ?? chromium.executablePath(),
    [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
      ...[
        '--remote-debugging-port=0',
        `--user-data-dir=${profile}`,
        '--lang=en-US',
        '--window-size=1440,900',
      ],
      'about:blank',
    ],
    { stdio: 'ignore' },
  )
  const ended = new Promise((done) => child.once('exit', done))
  const [port, path] = await debuggingPort(profile)
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
  await new Promise((done, fail) => socket.once('open', done).once('error', fail))
  const waiting = new Map<number, (answer: Answer) => void>()
  socket.on('message', (data) => {
    const answer = JSON.parse(String(data)) as Answer & { id?: number }
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer)
  })
  let last = 0
  const sender =
    (sessionId?: string): Send =>
    (method, params = {}) =>
      new Promise((done, fail) => {
        const id = ++last
        waiting.set(id, ({ result, error }) => {
          waiting.delete(id)
          if (error) fail(new Error(`${method}: ${error.message}`))
          else done(result as never)
        })
        socket.send(JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) }))
      })
  const send = sender()
  return {
    url: `http://127.0.0.1:${port}`,
    send,
    attachToPage: async () => {
      const { targetInfos } = await send<{ targetInfos: { type: string; targetId: string; url: string }[] }>(
        'Target.getTargets',
      )
      const target = targetInfos.find(({ type, url }) => type === 'page' && url.startsWith('http'))
      if (!target) throw new Error('The browser shows no page')
      const { sessionId } = await send<{ sessionId: string }>('Target.attachToTarget', {
        targetId: target.targetId,
        flatten: true,
      })
      return sender(sessionId)
    },
    stop: async () => {
      // Debian's command is a script, whose end would leave the browser running.
      void send('Browser.close').catch(() => undefined)
      await ended
      socket.terminate()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    },
  }
}
