import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { patience } from '../../support/patience'
import { type ServerProcess, startServerProcess } from '../../support/server-process'
import { MAIL_SECRET } from './mailbox'
import { test as base } from './test'

/** A backend that one spec file has to itself: what it breaks there, no other test meets. */
export interface OwnServer {
  url: string
  dataDir: string
  sql: ServerProcess['query']
  stop: () => Promise<void>
  /** On the same port and data as before. */
  start: () => Promise<void>
}

/** A port that was free a moment ago, so that a server can come back under its old address. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

export const test = base.extend<{ baseURL: string }, { own: OwnServer }>({
  own: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads a fixture's needs from this pattern
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'konsol-own-'))
      const dataDir = join(folder, 'data')
      // `npm test` has loaded the demo data already.
      if (process.env.E2E_DEMO_DATA) cpSync(process.env.E2E_DEMO_DATA, dataDir, { recursive: true })
      const port = await freePort()
      const start = () =>
        startServerProcess({
          port,
          dataDir,
          demo: true,
          brief: true,
          mailReply: 'reply@desk.test',
          mailInboundSecret: MAIL_SECRET,
          dist: process.env.E2E_DIST ?? 'dist',
        })
      let server: ServerProcess | undefined = await start()
      const stop = async () => {
        await server?.stop()
        server = undefined
      }
      await use({
        url: `http://127.0.0.1:${port}`,
        dataDir,
        sql: (sql, params) => {
          if (!server) throw new Error('The server is stopped.')
          return server.query(sql, params)
        },
        stop,
        start: async () => {
          server ??= await start()
        },
      })
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
    { scope: 'worker', timeout: patience(120_000) },
  ],
  baseURL: async ({ own }, use) => {
    await use(own.url)
  },
})
