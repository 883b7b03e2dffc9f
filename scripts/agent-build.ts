/** Builds the agent, and an executable of it for machines of this system that have no Node. */
import { statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildAgent } from '../agent/build'
import { buildExecutable } from '../agent/executable'
import { ROOT } from '../supabase/embedded/root'

const folder = join(ROOT, 'dist-agent')
await buildAgent(folder)
const file = buildExecutable(folder)
console.log(`wrote ${relative(ROOT, file)} (${Math.round(statSync(file).size / 1e6)} MB)`)
