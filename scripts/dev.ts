/** The backend of `npm start` with Vite in front of it: pages reload as their sources change. */
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createServer as createVite } from 'vite'
import { buildAgent } from '../agent/build'
import { isApiPath, isDefinitionPath } from '../supabase/embedded/http/app'
import { withConfig } from '../supabase/embedded/http/static'
import { ROOT } from '../supabase/embedded/root'
import { startServer } from '../supabase/embedded/server'
import { main, serverOptions, stopOnSignal, surviveRejections } from './support/environment'
import { announceStart, greet } from './support/greeting'

/** Vite tells the page its number, so 0 will not do. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo
      probe.close(() => resolve(port))
    })
  })
}

await main(async () => {
  const { values } = parseArgs({ options: { empty: { type: 'boolean', default: false } } })
  const options = serverOptions()
  // Before the first build of Vite's, which else decides for all that follow, and takes ours for production.
  process.env.NODE_ENV ??= 'development'
  await buildAgent(join(ROOT, 'dist-agent'))
  const vite = await createVite({
    root: ROOT,
    configFile: join(ROOT, 'vite.config.ts'),
    appType: 'custom',
    // Each tree has a cache to itself, even where it shares node_modules with another.
    cacheDir: join(ROOT, 'supabase/.temp/vite'),
    // Vite's reloads need a port of their own: the socket of our port belongs to live updates.
    server: { middlewareMode: true, hmr: { port: await freePort() } },
  })
  const server = await startServer(
    { ...options, serveDist: null, demo: !values.empty && !options.databaseUrl, onListen: announceStart },
    {
      upgrade: () => false,
      wrap: (listener, backend) => (request, response) => {
        const { pathname } = new URL(request.url ?? '/', 'http://localhost')
        if (isApiPath(pathname) || isDefinitionPath(pathname)) return listener(request, response)
        vite.middlewares(request, response, async () => {
          try {
            const html = readFileSync(join(ROOT, 'index.html'), 'utf8')
            const page = await vite.transformIndexHtml(request.url ?? '/', withConfig(html, backend))
            response.writeHead(200, {
              'content-type': 'text/html; charset=utf-8',
              'cache-control': 'no-store',
            })
            response.end(page)
          } catch (error) {
            response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' })
            response.end(String((error as Error).stack))
          }
        })
      },
    },
  )
  surviveRejections()
  stopOnSignal(async () => {
    await vite.close()
    await server.stop()
  })
  await greet(server)
})
