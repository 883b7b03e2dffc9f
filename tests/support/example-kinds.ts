import type { Plugin } from 'vite'

const LOADERS = /\/src\/resource\/fields\/(kinds\.ts|cells\.tsx|inputs\.tsx)$/
const GLOB = /import\.meta\.glob(?:<\w+>)?\('([^']+)'(?:, \{ (eager: true) \})?\)/

/** Adds the field kinds of `docs/examples/fields`, as if their folders were in `src/resource/fields`. */
export function exampleKinds(): Plugin {
  return {
    name: 'example-kinds',
    enforce: 'pre',
    transform(code, id) {
      if (!LOADERS.test(id)) return null
      return code.replace(GLOB, (glob, pattern: string, eager = '') => {
        const options = ["base: '/docs/examples/fields'", eager].filter(Boolean).join(', ')
        return `({ ...${glob}, ...import.meta.glob('${pattern}', { ${options} }) })`
      })
    },
  }
}
