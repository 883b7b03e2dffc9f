import { createReadStream, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type Context, Hono } from 'hono'
import { type AgentReleases, agentPublicKey } from '../agent-release'
import { type Backend, type Env, jsonResponse } from './context'

/** Whether it is safe between quotes in a shell script. */
const HOST = /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?$|^\[[0-9A-Fa-f:]+\](:\d{1,5})?$/

/** For between the single quotes of a shell, or of PowerShell. */
const inQuotes = (script: string, text: string): string =>
  text.replaceAll("'", script.endsWith('.ps1') ? "''" : `'\\''`)

/**
 * The address by which the machine reached the server, unless the operator set one; null for an invalid host.
 */
function originFor(c: Context<Env>, backend: Backend, named: boolean): string | null {
  if (named) return backend.siteUrl
  const host = c.req.header('host') ?? ''
  // Behind a trusted proxy, the scheme is the one the proxy reports.
  const isHttps = backend.trustedProxies > 0 && c.req.header('x-forwarded-proto') === 'https'
  return HOST.test(host) ? `${isHttps ? 'https' : 'http'}://${host}` : null
}

/** The agent, what it checks before it updates itself, and the scripts that install it, with our address and keys written in. */
export function downloadRoutes(backend: Backend, releases: AgentReleases, siteUrlNamed: boolean): Hono<Env> {
  const read = (name: string): string | null => {
    try {
      return readFileSync(join(releases.folder, name), 'utf8')
    } catch {
      return null
    }
  }
  const app = new Hono<Env>()
  app.get('/agent/agent.mjs', (c) => {
    const bundle = releases.bundle()
    if (bundle === null) return c.text('The agent has not been built. Run npm run build.', 404)
    const etag = `"${bundle.sha256}"`
    const headers = { etag, 'cache-control': 'no-cache', 'content-type': 'text/javascript; charset=utf-8' }
    if (c.req.header('if-none-match') === etag) return c.body(null, 304, headers)
    return c.body(new Uint8Array(bundle.program), 200, headers)
  })
  app.get('/agent/release.json', async (c) => {
    const release = await releases.current()
    if (release === null) return c.text('The agent has not been built. Run npm run build.', 404)
    return jsonResponse(release, 200, { 'cache-control': 'no-store' })
  })
  app.get('/agent/:program{konsol-agent-[a-z0-9]+-[a-z0-9]+(\\.exe)?}', (c) => {
    const file = join(releases.folder, c.req.param('program'))
    const size = statSync(file, { throwIfNoEntry: false })?.size
    if (size === undefined)
      return c.text('There is no executable for this system. Run npm run agent:build on one.', 404)
    const headers = {
      'content-type': 'application/octet-stream',
      'content-length': String(size),
      'cache-control': 'no-cache',
    }
    // A file that is opened for an answer without a body would stay open.
    if (c.req.method === 'HEAD') return c.body(null, 200, headers)
    return c.body(Readable.toWeb(createReadStream(file)) as ReadableStream, 200, headers)
  })
  app.get('/agent/:script{install\\.(sh|ps1)}', (c) => {
    const name = c.req.param('script')
    const template = read(name)
    const origin = originFor(c, backend, siteUrlNamed)
    if (template === null || origin === null) return c.text('Not found', 404)
    const script = template
      .replaceAll('__KONSOL_ORIGIN__', () => inQuotes(name, origin))
      .replaceAll('__KONSOL_KEY__', () => inQuotes(name, backend.keys.publishableKey))
      .replaceAll('__KONSOL_SIGNING_KEY__', () => agentPublicKey(backend.keys.agentSigningKey))
      .replaceAll('__KONSOL_SHA256__', () => releases.bundle()?.sha256 ?? '')
      // Lines of a checksum and a name, as sha256sum writes them.
      .replaceAll('__KONSOL_PROGRAMS__', () => read('programs.sha256')?.trim() ?? '')
    return c.body(script, 200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
  })
  return app
}
