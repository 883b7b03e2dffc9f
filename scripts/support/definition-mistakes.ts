import { fileURLToPath } from 'node:url'
import { type InlineConfig, type Plugin, runnerImport } from 'vite'
import { definitionValidator } from './definition-validator.ts'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))

/** Checking a definition needs no browser, so the build does it once. */
async function mistakenDefinitions(): Promise<string[]> {
  const config: InlineConfig = {
    configFile: false,
    plugins: [definitionValidator()],
    root: fileURLToPath(new URL('../..', import.meta.url)),
    resolve: { alias: { '@': SRC } },
  }
  const [problems, registry] = await Promise.all([
    runnerImport<typeof import('../../src/resource/inspect/problems.ts')>(
      `${SRC}/resource/inspect/problems.ts`,
      config,
    ),
    runnerImport<typeof import('../../src/resource/definition/registry.ts')>(
      `${SRC}/resource/definition/registry.ts`,
      config,
    ),
  ])
  const { resourceEntries, findDefinition } = registry.module
  const names = resourceEntries().map(({ name }) => name)
  return resourceEntries()
    .filter(
      ({ file, source }) =>
        problems.module.inspectSource(file, source, { find: findDefinition, names }).length > 0,
    )
    .map(({ file }) => file)
}

/**
 * Tells the console which files of `resources/` have a mistake, so that it need not carry the validator to every
 * list to find out. A mistake stops no build: the page of that resource says what it is.
 */
export function definitionMistakes(): Plugin {
  return {
    name: 'definition-mistakes',
    apply: 'build',
    config: async () => ({ define: { MISTAKEN_DEFINITIONS: JSON.stringify(await mistakenDefinitions()) } }),
  }
}
