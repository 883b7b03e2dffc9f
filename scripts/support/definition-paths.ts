import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, runnerImport } from 'vite'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SRC = join(ROOT, 'src')
const ID = 'virtual:definition-paths'
const RESOLVED = `\0${ID}`

async function readDefinitions(): Promise<{ files: string[]; paths: string[] }> {
  const config = { configFile: false, root: ROOT, resolve: { alias: { '@': SRC } } } as const
  const [routes, registry] = await Promise.all([
    runnerImport<typeof import('../../src/app/definition-routes.ts')>(
      `${SRC}/app/definition-routes.ts`,
      config,
    ),
    runnerImport<typeof import('../../src/resource/definition/registry.ts')>(
      `${SRC}/resource/definition/registry.ts`,
      config,
    ),
  ])
  const entries = registry.module.resourceEntries()
  return {
    files: entries.map(({ file }) => join(ROOT, file)),
    paths: entries.flatMap((entry) => routes.module.routesOf(entry).map(({ path }) => path)),
  }
}

/** Tells the pages before sign-in which addresses definitions make, so that they need not load the definitions. */
export function definitionPaths(): Plugin {
  return {
    name: 'definition-paths',
    resolveId: (id) => (id === ID ? RESOLVED : undefined),
    async load(id) {
      if (id !== RESOLVED) return undefined
      const { files, paths } = await readDefinitions()
      for (const file of files) this.addWatchFile(file)
      return `export const DEFINITION_PATHS = ${JSON.stringify(paths)}`
    },
  }
}
