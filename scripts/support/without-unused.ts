import type { Plugin } from 'vite'

/** Our own code, as a value of `by`. */
const OWN = 'src'

/**
 * Parts of libraries that the console never calls and that weigh more than 5 kB each: CSV and query strings of Refine;
 * policy files, their Buffer and glob patterns of Casbin; files of Supabase. If a new version of a library imports a
 * name that is missing here, the build fails.
 */
const UNUSED: Readonly<Record<string, { by: string | readonly string[]; code: string }>> = {
  papaparse: { by: '@refinedev/core', code: 'export default undefined' },
  '@supabase/storage-js': {
    by: '@supabase/supabase-js',
    code: 'export class StorageClient {} export const StorageApiError = Error',
  },
  'csv-parse/sync': { by: 'casbin', code: 'export const parse = undefined' },
  buffer: { by: ['casbin', OWN], code: 'export const Buffer = { from: (text) => text }' },
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

/** Leaves `UNUSED` out of the build. */
export function withoutUnused(): Plugin {
  const prefix = '\0unused:'
  return {
    name: 'without-unused',
    apply: 'build',
    enforce: 'pre',
    // Only for imports from that library: others, such as our own file import, get the real one.
    resolveId: (id, importer) => {
      const by = Object.hasOwn(UNUSED, id) ? [UNUSED[id]?.by ?? []].flat() : []
      const isUnused = by.some((folder) =>
        importer?.includes(folder === OWN ? '/src/' : `/node_modules/${folder}/`),
      )
      return isUnused ? `${prefix}${id}` : undefined
    },
    // Casbin's model passes through the global Buffer as well, on its way to being split into lines.
    transform: (code, id) =>
      id.includes('/node_modules/casbin/') && code.includes('Buffer.from(')
        ? { code: `const Buffer = { from: (text) => text };${code}`, map: null }
        : null,
    load: (id) => (id.startsWith(prefix) ? UNUSED[id.slice(prefix.length)]?.code : undefined),
  }
}
