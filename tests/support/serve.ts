/** `npm start` without the build: what the tests of starting and stopping run as a process of its own. */
import { main, serverOptions, stopOnSignal } from '../../scripts/support/environment'
import { startServer } from '../../supabase/embedded/server'

await main(async () => {
  const server = await startServer({
    ...serverOptions(),
    serveDist: null,
    demo: process.env.DEMO === '1',
    timers: false,
  })
  stopOnSignal(server.stop)
  console.log(`ready ${server.url} ${server.publishableKey} ${server.serviceKey}`)
})
