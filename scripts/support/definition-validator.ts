import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { schemaFile } from '../resource/schema.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const ID = '#definition-validator'
const RESOLVED = '\0virtual:definition-validator'

/** Compiles the definition schema to `#definition-validator`, code that the page's CSP allows. */
export function definitionValidator(): Plugin {
  return {
    name: 'definition-validator',
    enforce: 'pre',
    resolveId: (id) => (id === ID ? RESOLVED : undefined),
    async load(id) {
      if (id !== RESOLVED) return undefined
      this.addWatchFile(schemaFile(ROOT))
      const { validatorModule } = await import('../resource/validator.ts')
      return validatorModule(ROOT)
    },
  }
}
