/** Builds console and agent and compresses what the server will hand out. */
import { buildAll } from './support/build-all'

await buildAll({ force: true })
