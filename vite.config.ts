import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { definitionMistakes } from './scripts/support/definition-mistakes.ts'
import { definitionPaths } from './scripts/support/definition-paths.ts'
import { earlyPage } from './scripts/support/early-page.ts'
import { PRODUCT_NAME } from './src/ui/brand.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** The page's title and its word without JavaScript carry the product's one name too. */
function productName(): Plugin {
  return {
    name: 'product-name',
    transformIndexHtml: (html) => html.replaceAll('%PRODUCT_NAME%', PRODUCT_NAME),
  }
}

/** Casbin can read policies from files; in a browser it never does, and Vite would warn on every build. */
function noFileSystem(): Plugin {
  const empty = '\0no-file-system'
  return {
    name: 'no-file-system',
    enforce: 'pre',
    resolveId: (id) => (id === 'fs' ? empty : undefined),
    load: (id) => (id === empty ? 'export const readFileSync = undefined' : undefined),
  }
}

/**
 * What libraries bring along for parts of them that the console never calls, a tenth of what it weighs: Refine's
 * CSV and its traces for developers, Casbin's policy files with the Buffer that their reader takes, and its glob
 * patterns, of which our model has none; of Supabase, files and edge functions.
 */
const UNUSED: Readonly<Record<string, { by: string; code: string }>> = {
  papaparse: { by: '@refinedev/core', code: 'export default undefined' },
  // Words are given by the console; Refine's guesses at them are switched off (`textTransformers`).
  pluralize: {
    by: '@refinedev/core',
    code: 'const same = (word) => word; export default { plural: same, singular: same }',
  },
  '@supabase/storage-js': {
    by: '@supabase/supabase-js',
    code: 'export class StorageClient {} export const StorageApiError = Error',
  },
  '@supabase/functions-js': {
    by: '@supabase/supabase-js',
    code: `export class FunctionsClient { setAuth() {} }
      export const FunctionsError = Error, FunctionsFetchError = Error, FunctionsHttpError = Error,
        FunctionsRelayError = Error, FunctionRegion = {}`,
  },
  'error-stack-parser': { by: '@refinedev/devtools-internal', code: 'export default undefined' },
  'csv-parse/sync': { by: 'casbin', code: 'export const parse = undefined' },
  // The model's text passes through one on its way to being split into lines.
  buffer: { by: 'casbin', code: 'export const Buffer = { from: (text) => text }' },
  minimatch: { by: 'casbin', code: 'export const minimatch = undefined' },
  // Nested keys by index, as Refine writes table states into an address: all it asks of `qs`.
  qs: {
    by: '@refinedev',
    code: `
    const isObject = (value) => typeof value === 'object' && value !== null
    const asArrays = (value) => {
      if (!isObject(value)) return value
      const entries = Object.entries(value).map(([key, inner]) => [key, asArrays(inner)])
      return entries.every(([key], index) => key === String(index)) && entries.length > 0
        ? entries.map(([, inner]) => inner)
        : Object.fromEntries(entries)
    }
    const parse = (text) => {
      const parsed = Object.create(null)
      for (const [name, value] of new URLSearchParams(text)) {
        const path = name.replaceAll(']', '').split('[')
        if (path.includes('__proto__')) continue
        let place = parsed
        for (const key of path.slice(0, -1)) {
          if (!isObject(place[key])) place[key] = Object.create(null)
          place = place[key]
        }
        place[path.at(-1)] = value
      }
      return Object.fromEntries(Object.entries(parsed).map(([key, value]) => [key, asArrays(value)]))
    }
    const pairs = (value, name) => {
      if (value === null || value === undefined) return []
      if (!isObject(value)) return [name + '=' + encodeURIComponent(value)]
      return Object.entries(value).flatMap(([key, inner]) => pairs(inner, name ? name + '[' + key + ']' : key))
    }
    const stringify = (object, { addQueryPrefix } = {}) => {
      const text = pairs(object, '').join('&')
      return addQueryPrefix && text ? '?' + text : text
    }
    export default { parse, stringify }
    export { parse, stringify }`,
  },
}

function withoutUnused(): Plugin {
  const prefix = '\0unused:'
  return {
    name: 'without-unused',
    apply: 'build',
    enforce: 'pre',
    // From that library alone: whoever else asks, our own import of files among them, gets the real one.
    resolveId: (id, importer) => {
      const by = Object.hasOwn(UNUSED, id) ? UNUSED[id]?.by : undefined
      return by !== undefined && importer?.includes(`/node_modules/${by}/`) ? `${prefix}${id}` : undefined
    },
    load: (id) => (id.startsWith(prefix) ? UNUSED[id.slice(prefix.length)]?.code : undefined),
  }
}

export default defineConfig({
  plugins: [
    react(),
    productName(),
    noFileSystem(),
    withoutUnused(),
    definitionMistakes(),
    definitionPaths(),
    earlyPage(),
  ],
  resolve: {
    alias: { '@': path('./src') },
  },
  build: {
    target: 'es2022',
    // The first page is measured by `npm run bench:weight`, not by this warning.
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What every page needs and what changes rarely, so that an upgrade of ours leaves it cached.
            {
              name: 'react',
              test: /node_modules[\\/](react|react-dom|scheduler|react-router)[\\/]/,
              priority: 30,
            },
            { name: 'supabase', test: /node_modules[\\/]@supabase[\\/]/, priority: 30 },
            // The pages before sign-in are small and mostly shared parts: one file instead of thirty.
            {
              name: 'sign-in',
              test: /src[\\/](i18n|data[\\/](client|errors)|pages[\\/]auth[\\/](?!auth-requests)|session[\\/](licence|passwords|read|retry|session|stored|types|use-session)|ui[\\/](brand|connection-lost|full-screen|icons|notice|notify|plain-|text-|theme-|toast))/,
              priority: 20,
            },
            // What every private page shows of antd, with all that these stand on.
            {
              name: 'antd',
              test: /node_modules[\\/](antd[\\/]es[\\/](button|config-provider|dropdown|menu|skeleton|space|theme|tooltip)|@ant-design[\\/](icons|icons-svg)|@babel[\\/]runtime)[\\/]/,
              minShareCount: 8,
              priority: 15,
            },
            // What forms and dialogs share: it comes with the first of them. Tables and date fields stay apart.
            {
              name: 'antd-forms',
              test: /node_modules[\\/](antd|@rc-component)[\\/]/,
              minShareCount: 8,
              priority: 10,
            },
            {
              name: 'parts',
              test: /src[\\/](access|resource|ui)[\\/]/,
              minShareCount: 8,
              priority: 10,
            },
            { name: 'words-en', test: /locales[\\/]en[\\/](common|auth)\.json/, priority: 30 },
            { name: 'words-tr', test: /locales[\\/]tr[\\/](common|auth)\.json/, priority: 30 },
          ],
        },
      },
    },
  },
})
