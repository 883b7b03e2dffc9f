import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))
const PLACEHOLDER = '__AGENT_CONTENT__'

const release = (): string => {
  const value: unknown = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8'))
  return (value as { version: string }).version
}

/** The release, and of the content so much that two bundles never share a version: `0.2.0+3f9c1a7be204`. */
function versioned(code: string): string {
  const content = createHash('sha256').update(code).digest('hex').slice(0, 12)
  const version = `${release()}+${content}`
  // The server reads the first line.
  return `// konsol-agent ${version}\n${code.replaceAll(PLACEHOLDER, version)}`
}

/** Bundles the agent to `agent.mjs`, one file that needs only Node, and writes its installers next to it. */
export async function buildAgent(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: here,
    logLevel: 'error',
    define: { __AGENT_VERSION__: JSON.stringify(PLACEHOLDER) },
    build: {
      ssr: join(here, 'main.ts'),
      outDir,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'node20',
      minify: false,
      rollupOptions: { output: { format: 'es', entryFileNames: 'agent.mjs', codeSplitting: false } },
    },
    ssr: { noExternal: true },
  })
  mkdirSync(outDir, { recursive: true })
  const file = join(outDir, 'agent.mjs')
  writeFileSync(file, versioned(readFileSync(file, 'utf8')))
  for (const name of ['install.sh', 'install.ps1']) copyFileSync(join(here, name), join(outDir, name))
}
