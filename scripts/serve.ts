/** The server of `npm start`, bundled into `dist-server`: what runs for months loads neither TypeScript nor a bundler. */
import { parseArgs } from 'node:util'
import { startServer } from '../supabase/embedded/server'
import { main, serverOptions, stopOnSignal, surviveRejections } from './support/environment'
import { announceStart, greet } from './support/greeting'

await main(async () => {
  const { values } = parseArgs({
    options: { empty: { type: 'boolean', default: false }, demo: { type: 'boolean', default: false } },
  })
  const options = serverOptions()
  // A PostgreSQL of one's own gets demo accounts only by asking for them.
  const server = await startServer({
    ...options,
    demo: values.demo || (!values.empty && !options.databaseUrl),
    onListen: announceStart,
  })
  surviveRejections()
  stopOnSignal(server.stop)
  await greet(server)
})
