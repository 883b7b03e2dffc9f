import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const FOLDER = '/docs/examples/fields'
const EXAMPLES = readdirSync(fileURLToPath(new URL(`../..${FOLDER}`, import.meta.url)))
const LOADERS = /\/src\/resource\/fields\/(cells|inputs)\.tsx?$/
const REGISTRIES = /\/src\/resource\/fields\/(kinds|scripts)\.generated\.ts$/
const GLOB = /import\.meta\.glob(?:<\w+>)?\('([^']+)'(?:, \{ (eager: true) \})?\)/
const FIRST_IMPORT = /import \{ (\w+) as \w+ \} from '@\/resource\/fields\/[\w-]+\/(\w+)'/
const REGISTRY = /export const \w+ = \{/

/** Adds the field kinds of `docs/examples/fields`, as if their folders were in `src/resource/fields`. */
export function exampleKinds(): Plugin {
  return {
    name: 'example-kinds',
    enforce: 'pre',
    transform(code, id) {
      if (LOADERS.test(id))
        return code.replace(GLOB, (glob, pattern: string, eager = '') => {
          const options = [`base: '${FOLDER}'`, eager].filter(Boolean).join(', ')
          return `({ ...${glob}, ...import.meta.glob('${pattern}', { ${options} }) })`
        })
      if (!REGISTRIES.test(id)) return null
      const [, name = '', part = ''] = FIRST_IMPORT.exec(code) ?? []
      const imports = EXAMPLES.map(
        (kind) => `import { ${name} as ${kind}Kind } from '${FOLDER}/${kind}/${part}'`,
      )
      const entries = EXAMPLES.map((kind) => `${kind}: ${kind}Kind,`)
      return `${imports.join('\n')}\n${code.replace(REGISTRY, (start) => `${start} ${entries.join(' ')}`)}`
    },
  }
}
