import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildAgent } from '../../../agent/build'

const source = fileURLToPath(new URL('../../../agent', import.meta.url))

function sourceHash(): string {
  const hash = createHash('sha256')
  for (const name of (readdirSync(source, { recursive: true }) as string[]).sort())
    if (/\.(ts|sh|ps1|cjs)$/.test(name)) hash.update(name).update(readFileSync(join(source, name)))
  return hash.digest('hex').slice(0, 16)
}

/** The folder with the bundled agent and its installer, as a console would serve it; built once a source. */
export async function agentFolder(): Promise<string> {
  const folder = join(tmpdir(), `konsol-agent-${sourceHash()}`)
  if (existsSync(join(folder, 'agent.mjs'))) return folder
  const draft = mkdtempSync(join(tmpdir(), 'konsol-agent-build-'))
  await buildAgent(draft)
  try {
    renameSync(draft, folder)
  } catch {
    // Another test file was quicker.
    rmSync(draft, { recursive: true, force: true })
  }
  return folder
}
