import { fileURLToPath } from 'node:url'
import { type InlineConfig, type Plugin, runnerImport } from 'vite'
import { definitionValidator } from './definition-validator.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = `${ROOT}supabase/embedded/definitions`
const ID = 'virtual:definitions'
const RESOLVED = `\0${ID}`

async function publishDefinitions() {
  const config: InlineConfig = {
    configFile: false,
    root: ROOT,
    plugins: [definitionValidator()],
    resolve: { alias: { '@': `${ROOT}src` } },
  }
  const [{ module: files }, { module: publisher }] = await Promise.all([
    runnerImport<typeof import('../../supabase/embedded/definitions/files.ts')>(`${FOLDER}/files.ts`, config),
    runnerImport<typeof import('../../supabase/embedded/definitions/publish.ts')>(
      `${FOLDER}/publish.ts`,
      config,
    ),
  ])
  return publisher.publish(files.readFiles(ROOT))
}

const escapeAttribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll("'", '&#39;')

/**
 * Definitions are no part of the build: pages fetch them from the server, which reads `resources/`. For a host without
 * our server, the build writes the same files beside the page. Code that runs in Node (tests, benchmarks) has them in
 * the module.
 */
export function definitions(): Plugin {
  let isBuild = false
  let published: ReturnType<typeof publishDefinitions> | undefined
  const current = () => {
    published ??= publishDefinitions()
    return published
  }
  return {
    name: 'definitions',
    configResolved: ({ command }) => {
      isBuild = command === 'build'
    },
    resolveId: (id) => (id === ID ? RESOLVED : undefined),
    async load(id) {
      if (id !== RESOLVED) return undefined
      const isPage = this.environment.config.consumer === 'client' && !process.env.VITEST
      const { entries, paths } = isPage ? { entries: [], paths: [] } : await current()
      return `export const BUNDLED_DEFINITIONS = ${JSON.stringify(entries)}
export const BUNDLED_PATHS = ${JSON.stringify(paths)}`
    },
    async generateBundle() {
      const { files, problems } = await current()
      for (const { file, line, message } of problems) this.warn(`${file}:${line}  ${message}`)
      for (const [address, { body }] of files)
        this.emitFile({ type: 'asset', fileName: address.slice(1), source: body })
    },
    transformIndexHtml: async (html) => {
      if (!isBuild) return html
      const { versions, paths } = await current()
      const content = escapeAttribute(JSON.stringify({ ...versions, paths }))
      return html.replace(
        '<head>',
        (head) => `${head}\n    <meta name="konsol-console" content='${content}' />`,
      )
    },
  }
}
