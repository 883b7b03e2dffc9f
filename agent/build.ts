import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

const version = (): string => {
  const value: unknown = JSON.parse(readFileSync(join(here, '../package.json'), 'utf8'))
  return (value as { version: string }).version
}

/** Bundles the agent to `agent.mjs`, one file that needs only Node, and writes its installer next to it. */
export async function buildAgent(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: here,
    logLevel: 'error',
    define: { __AGENT_VERSION__: JSON.stringify(version()) },
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
  copyFileSync(join(here, 'install.sh'), join(outDir, 'install.sh'))
}
