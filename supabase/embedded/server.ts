import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { openCore } from './core'
import { isLoopbackName } from './http/address'
import { createHttpApp } from './http/app'
import type { Backend } from './http/context'
import { generateKeys, loadKeys } from './keys'
import type { ServerOptions } from './options'

export const ROOT = resolve(fileURLToPath(import.meta.url), '../../..')

export interface RunningServer {
  url: string
  port: number
  publishableKey: string
  serviceKey: string
  /** As the superuser of the embedded database: for scripts and tests. */
  query: <R = Record<string, unknown>>(sql: string, params?: readonly unknown[]) => Promise<R[]>
  stop: () => Promise<void>
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const log = options.log ?? ((line: string) => console.error(line))
  const memory = options.dataDir === 'memory://'
  const reachable = !isLoopbackName(options.host)
  const directory = resolve(options.dataDir)
  if (!memory) mkdirSync(directory, { recursive: true, mode: 0o700 })
  const keys = memory ? generateKeys() : loadKeys(directory, process.env, reachable)
  const pgdata = join(directory, 'pgdata')
  const blank = memory || !existsSync(join(pgdata, 'PG_VERSION'))
  if (blank && !memory) rmSync(pgdata, { recursive: true, force: true })
  const mails: unknown[] = []
  const siteUrl = options.siteUrl ?? `http://${options.host}:${options.port}`
  const core = await openCore({
    root: ROOT,
    pgliteUrl: memory ? 'memory://' : pgdata,
    blank,
    databaseUrl: options.databaseUrl,
    demo: options.demo,
    keys,
    siteUrl,
    mail: { send: async (mail) => void mails.push(mail) },
    log,
  })
  const backend: Backend = {
    core,
    keys,
    siteUrl,
    rateLimitFactor: options.rateLimitFactor ?? 1,
    trustedProxies: options.trustedProxies ?? 0,
    log,
  }
  const app = createHttpApp(backend)
  const http = createServer({ maxHeaderSize: 64 * 1024 }, getRequestListener(app.fetch))
  await new Promise<void>((done, fail) => {
    http.once('error', fail)
    http.listen(options.port, options.host, done)
  })
  const { port } = http.address() as AddressInfo
  return {
    url: `http://${options.host}:${port}`,
    port,
    publishableKey: keys.publishableKey,
    serviceKey: keys.secretKey,
    query: (sql, params) => backend.core.database.query(sql, params),
    stop: async () => {
      http.closeAllConnections()
      await new Promise((done) => http.close(done))
      await backend.core.close()
    },
  }
}
