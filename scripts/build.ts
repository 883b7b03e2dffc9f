/**
 * Builds console, agent and server, and compresses what the server hands out.
 *
 *   npm run build
 *   npm run build -- --if-older   only what is older than its sources
 */
import { parseArgs } from 'node:util'
import { buildAll } from './support/build-all'

const { values } = parseArgs({ options: { 'if-older': { type: 'boolean', default: false } } })
await buildAll({ force: !values['if-older'] })
