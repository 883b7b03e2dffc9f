import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Definition } from '@/resource/language/definition.generated'
import { lineOf, parseJsonSource } from '@/resource/language/json-source'
import type { ResourceFile } from './tree'

const CODE = ['src', 'supabase/embedded', 'agent']

/** Places of hand-written code that the pattern is found in, as `file:line`. */
export function mentionsInCode(
  root: string,
  pattern: RegExp,
  only: (text: string) => boolean = () => true,
): string[] {
  return CODE.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|tsx|mjs)$/.test(name) && !/\.(generated|types)\.ts$/.test(name))
      .sort()
      .flatMap((name) => {
        const text = readFileSync(join(root, folder, name), 'utf8')
        if (!only(text)) return []
        return text
          .split('\n')
          .flatMap((line, index) =>
            pattern.test(line) ? [`${folder}/${name.replaceAll('\\', '/')}:${index + 1}`] : [],
          )
      }),
  )
}

/** A quoted name, an address below that of the resource, or the key or file of its texts. */
export const quoted = (resource: string, path: string): RegExp =>
  new RegExp(
    `(['"\`])(?:${resource}|${path}(?:/[^'"\`]*)?|resources:${resource}\\.[^'"\`]*|[^'"\`]*/resources/${resource}\\.json)\\1`,
  )

/** Where other definitions name a resource or its tables, as `file:line  what`. */
export function mentionsInDefinitions(
  files: readonly ResourceFile[],
  { name, tables, path }: { name: string; tables: readonly string[]; path: string },
): string[] {
  return files.flatMap(({ file, text, definition }) => {
    if (!definition || definition.name === name) return []
    const source = parseJsonSource(text)
    const found: string[] = []
    const walk = (value: unknown, pointer: string) => {
      if (
        typeof value === 'string' &&
        (isMention(pointer, value, { name, tables, path }) || isRelatedMention(definition, value, name))
      )
        found.push(`${file}:${lineOf(source, pointer)}  ${pointer.slice(1).replaceAll('/', '.')}`)
      if (typeof value === 'object' && value !== null)
        for (const [key, inner] of Object.entries(value)) walk(inner, `${pointer}/${key}`)
    }
    walk(definition satisfies Definition, '')
    return found
  })
}

/** A comparison with a field of a record of the resource. */
function isRelatedMention({ fields }: Definition, text: string, name: string): boolean {
  const relation = /^\$record\.(\w+)\.\w+$/.exec(text)?.[1]
  const field = relation === undefined ? undefined : fields[relation]
  return field !== undefined && 'to' in field && field.to === name
}

function isMention(
  pointer: string,
  text: string,
  { name, tables, path }: { name: string; tables: readonly string[]; path: string },
): boolean {
  if (/^\/list\/opens$/.test(pointer)) return `/${text}` === path
  if (/^\/(?:table|live\/\d+)$|\/from\/table$|^\/fields\/[^/]+\/through$/.test(pointer))
    return tables.includes(text)
  if (text !== name) return false
  return (
    /^\/(?:parent|page_object)$|^\/(?:show\/related|form\/children)\/\d+\/resource$/.test(pointer) ||
    /\/(?:fields|params)\/[^/]+\/(?:to|counts\/resource)$|\/(?:policy|read|write)\/object$|\/needs\/[^/]+\/object$/.test(
      pointer,
    )
  )
}

const MAX_LISTED = 8

export function listed(places: readonly string[]): string {
  const more = places.length - MAX_LISTED
  return [...places.slice(0, MAX_LISTED), ...(more > 0 ? [`and ${more} more`] : [])]
    .map((place) => `\n    ${place}`)
    .join('')
}
