import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Language } from '@/i18n/language'

export type ResourceTexts = Record<string, Record<string, unknown>>

/** The texts of resources as the server sends them to a page: by the name of their file. */
export function resourceWords(
  language: Language,
  root = resolve(import.meta.dirname, '../..'),
): ResourceTexts {
  const folder = join(root, 'locales', language, 'resources')
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return Object.fromEntries(
    files.map((file) => [
      file.slice(0, -'.json'.length),
      JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, unknown>,
    ]),
  )
}
