/**
 * Starts the console with everything it needs, building it first where that is needed.
 *
 *   npm start              with demo data, if the database is new
 *   npm start -- --empty   without
 */
import { parseArgs } from 'node:util'
import { startServer } from '../supabase/embedded/server'
import { buildAll } from './support/build-all'
import { main, serverOptions, stopOnSignal, surviveRejections } from './support/environment'
import { greet } from './support/greeting'

await main(async () => {
  const { values } = parseArgs({
    options: { empty: { type: 'boolean', default: false }, demo: { type: 'boolean', default: false } },
  })
  const options = serverOptions()
  await buildAll()
  // A PostgreSQL of one's own gets demo accounts only by asking for them.
  const server = await startServer({
    ...options,
    demo: values.demo || (!values.empty && !options.databaseUrl),
  })
  surviveRejections()
  stopOnSignal(server.stop)
  await greet(server)
})
