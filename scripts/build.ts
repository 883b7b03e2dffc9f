/**
 * Builds console, agent and server, and compresses what the server hands out.
 *
 *   npm run build
 *   npm run build -- --if-older   what is older than its sources, as `npm start` does: whoever opens the console in the
 *                                 meantime is told that it is being built
 */
import { parseArgs } from 'node:util'
import { closeHttp, listen } from '../supabase/embedded/http/listener'
import { startingListener } from '../supabase/embedded/http/starting'
import { buildAll } from './support/build-all'
import { serverOptions } from './support/environment'

/** Holds the address of the server until it is built. A port that is taken is the server's to report. */
async function showProgress(): Promise<() => Promise<void>> {
  try {
    const { host, port } = serverOptions()
    // A port that the system chooses would be another one than the server's.
    if (port === 0) return async () => undefined
    const { http } = await listen(
      port,
      host,
      startingListener(() => ({ step: 'build', done: 0, total: 1 })),
    )
    console.log(`http://${host}:${port} shows how far it is.`)
    return () => closeHttp(http)
  } catch {
    return async () => undefined
  }
}

const { values } = parseArgs({ options: { 'if-older': { type: 'boolean', default: false } } })
await buildAll({ force: !values['if-older'], ...(values['if-older'] ? { duringBuild: showProgress } : {}) })
