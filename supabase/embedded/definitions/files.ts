import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_SOURCE_LENGTH } from '@/resource/language/entry'
import type { DefinitionFile } from '@/resource/language/inspect/compile'

const SCHEMA = 'resource.schema.json'

export const definitionFolder = (root: string): string => join(root, 'resources')

/** Each language has a folder; other entries, such as a README, contain a dot. */
const languages = (root: string) => namesIn(join(root, 'locales')).filter((name) => !name.includes('.'))

export const wordFolders = (root: string): string[] =>
  languages(root).map((language) => join(root, 'locales', language, 'resources'))

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

/** The definitions and the texts of resources, by path from the root. */
function listFiles(root: string): string[] {
  const definitions = namesIn(definitionFolder(root)).filter(
    (name) => name.endsWith('.json') && name !== SCHEMA,
  )
  return [
    ...definitions.map((name) => `resources/${name}`),
    ...languages(root).flatMap((language) => {
      const folder = `locales/${language}/resources`
      const words = namesIn(join(root, folder)).filter((name) => name.endsWith('.json'))
      return words.map((name) => `${folder}/${name}`)
    }),
  ]
}

/** Enough to see that a text is too long: a character takes up to three bytes for each unit of its length. */
const MAX_BYTES = 3 * (MAX_SOURCE_LENGTH + 1)

/** The text, or its beginning if it is too long anyway; null for a file that is not there. */
function readFile(path: string): string | null {
  try {
    // A pipe would be waited for.
    if (!statSync(path).isFile()) return null
    const descriptor = openSync(path, 'r')
    try {
      const size = Math.min(statSync(path).size, MAX_BYTES)
      const buffer = Buffer.alloc(size)
      return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, size, 0))
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return null
  }
}

export function readFiles(root: string): DefinitionFile[] {
  return listFiles(root).flatMap((file) => {
    const text = readFile(join(root, file))
    return text === null ? [] : [{ file, text }]
  })
}

/** Changes whenever one of the files does. */
export function fingerprint(root: string): string {
  return listFiles(root)
    .map((file) => {
      try {
        const { mtimeMs, size } = statSync(join(root, file))
        return `${file} ${mtimeMs} ${size}`
      } catch {
        // Removed, or a broken link.
        return file
      }
    })
    .join('\n')
}
