import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Definition } from '@/resource/language/definition.generated'
import { renderCreate } from '../../../scripts/resource/migration/create'
import { planTable } from '../../../scripts/resource/migration/plan'
import { type ResourceWordFiles, readWords, wordFile } from '../../../scripts/resource/word-files'
import { fillWords } from '../../../scripts/resource/words-of'
import { addResourcePolicies } from '../../../scripts/resource-policies'
import { BASE, BASE_SQL } from './base'
import type { Change, Patch } from './mistake'

const repository = fileURLToPath(new URL('../../..', import.meta.url))
/** The resources that the base refers to. */
const KEPT = ['companies', 'users', 'people']
const OBJECTS = /^p, [\w -]+, (\*|dashboard|settings|system-license|custom-commands|template-manager|ticket-settings|company-management|companies|users|people|user_roles),/
const POLICIES = ['policies/admin.csv', 'policies/teknik.csv', 'policies/without-pro.csv'] as const
const LANGUAGES = ['en', 'tr'] as const

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

function isPatch(value: unknown): value is Patch {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function merge(base: unknown, patch: unknown): unknown {
  if (!isPatch(base) || !isPatch(patch)) return patch
  const merged: Patch = { ...base }
  for (const [key, value] of Object.entries(patch)) merged[key] = merge(base[key], value)
  return merged
}

/** Permission lines of what the tree contains. A role is made by its lines, so each file keeps one. */
function knownLines(text: string): string {
  const lines = text.split('\n').filter((line) => !line.startsWith('p,') || OBJECTS.test(line))
  const role = /^p, ([^,]+),.*allow$/m.exec(text)?.[1]
  if (role && !lines.some((line) => line.startsWith('p,'))) lines.unshift(`p, ${role}, people, list, allow`)
  return lines.join('\n')
}

export interface Tree {
  root: string
  /** Makes the tables of the base and of the right definitions. */
  sql: string
  /** The files as they become with the right definitions. */
  withAdded: ReadonlyMap<string, string | null>
  readIfThere: (path: string) => string | null
  /** The files that a change touches, as they become; null for one that goes. */
  changed: (change: Change) => Map<string, string | null>
  write: (files: ReadonlyMap<string, string | null>) => void
  remove: () => void
}

/** A scratch tree with the base; the right definitions come and go. */
export function plantTree(added: readonly Definition[]): Tree {
  const root = mkdtempSync(join(tmpdir(), 'konsol-mistakes-'))
  const path = (file: string) => join(root, file)
  const read = (file: string) => readFileSync(path(file), 'utf8')
  const write = (files: ReadonlyMap<string, string | null>) => {
    for (const [file, text] of files) {
      if (text === null) rmSync(path(file), { force: true })
      else {
        mkdirSync(dirname(path(file)), { recursive: true })
        writeFileSync(path(file), text)
      }
    }
  }

  /** A folder of links, so that a change may add and replace files in it. */
  const mirror = (folder: string) => {
    rmSync(path(folder), { recursive: true, force: true })
    mkdirSync(path(folder), { recursive: true })
    for (const name of readdirSync(join(repository, folder))) symlinkSync(join(repository, folder, name), path(`${folder}/${name}`))
  }
  cpSync(join(repository, 'locales'), path('locales'), { recursive: true })
  mkdirSync(path('policies'))
  for (const file of readdirSync(join(repository, 'policies')).filter((name) => name.endsWith('.csv'))) writeFileSync(path(`policies/${file}`), knownLines(readFileSync(join(repository, 'policies', file), 'utf8')))
  mkdirSync(path('supabase/migrations'), { recursive: true })
  // The catalog comes from the real migrations. Here they only say which tables permission lines may name.
  writeFileSync(path('supabase/migrations/20260101000000_create_kept.sql'), [...KEPT, 'user_roles'].map((name) => `create table public.${name} ();\n`).join(''))
  mirror('src')
  mirror('src/app')
  mirror('src/pages')
  const pages = path('src/app/pages.tsx')
  rmSync(pages)
  writeFileSync(pages, readFileSync(join(repository, 'src/app/pages.tsx'), 'utf8').replace(`parent: 'tickets'`, `parent: 'rooms'`))
  for (const file of ['resource.schema.json', ...KEPT.map((name) => `${name}.json`)]) cpSync(join(repository, 'resources', file), path(`resources/${file}`))

  // A kept definition may refer to resources that the tree lacks: its lists of them, and its counts, go.
  for (const name of KEPT) {
    const { fields, show, ...kept } = JSON.parse(read(`resources/${name}.json`)) as Definition
    for (const field of Object.values(fields)) if (field.type === 'number' && field.counts && !KEPT.includes(field.counts.resource)) delete field.counts
    const related = (show || undefined)?.related?.filter(({ resource }) => KEPT.includes(resource))
    write(new Map([[`resources/${name}.json`, json({ ...kept, fields, ...(show ? { show: { ...show, ...(related ? { related } : {}) } } : {}) })]]))
  }

  const definitions = [...Object.values(BASE), ...added]
  const find = (name: string) => definitions.find((each) => each.name === name) ?? null
  const kept = (all: Patch) => Object.fromEntries(['_shared', ...KEPT].map((name) => [name, all[name]]))
  const shipped = readWords(root)
  let words: ResourceWordFiles = { en: kept(shipped.en), tr: kept(shipped.tr) }
  for (const language of LANGUAGES) rmSync(path(`locales/${language}/resources`), { recursive: true })
  /** Definitions with their texts and permission lines. */
  const add = (some: readonly Definition[]) => {
    for (const definition of some) {
      writeFileSync(path(`resources/${definition.name}.json`), json(definition))
      const nouns = [`${definition.name} one`, `${definition.name} many`] as const
      words = fillWords(definition, words, { en: nouns, tr: nouns }).words
      addResourcePolicies(root, definition.name, {
        isPlatform: definition.tenant === false,
        needsPro: definition.requires === 'pro',
      })
    }
    write(new Map(LANGUAGES.flatMap((language) => Object.entries(words[language]).map(([name, texts]) => [wordFile(language, name), json(texts)] as const))))
  }
  add(Object.values(BASE))
  const actions = ['ping', 'retire'].map((verb) => `p, Admin, printers, ${verb}, allow\n`)
  writeFileSync(path(POLICIES[0]), `${read(POLICIES[0])}${actions.join('')}`)

  const tables = (some: readonly Definition[]) => some.map((definition) => renderCreate(planTable(definition, find), `The ${definition.name}.`)).join('\n')
  const base = `${tables(Object.values(BASE))}\n${BASE_SQL}`
  writeFileSync(path('supabase/migrations/20991231000000_create_base.sql'), base)

  const shared = [...POLICIES, ...LANGUAGES.map((language) => wordFile(language, '_shared'))]
  const files = added.flatMap(({ name }) => [`resources/${name}.json`, ...LANGUAGES.map((language) => wordFile(language, name))])
  const before = new Map<string, string | null>(shared.map((file) => [file, read(file)]))
  for (const file of files) before.set(file, null)
  add(added)
  const readIfThere = (file: string) => (existsSync(path(file)) ? read(file) : null)
  const withAdded = new Map([...before.keys()].map((file) => [file, readIfThere(file)]))
  write(before)

  return {
    root,
    sql: `${base}\n${tables(added)}`,
    withAdded,
    readIfThere,
    write,
    changed: (change) => {
      const files = new Map<string, string | null>(Object.entries(change.files ?? {}))
      const now = (file: string) => files.get(file) ?? read(file)
      const patched = (file: string, patch: Patch | undefined) => {
        if (patch) files.set(file, json(merge(JSON.parse(now(file)), patch)))
      }
      for (const name of ['printers', 'rooms', 'suppliers', 'print_jobs'] as const) patched(`resources/${name}.json`, change[name])
      for (const language of LANGUAGES)
        for (const [name, patch] of Object.entries(change[language] ?? {})) {
          const file = wordFile(language, name)
          const text = files.get(file) ?? readIfThere(file) ?? '{}'
          files.set(file, isPatch(patch) ? json(merge(JSON.parse(text), patch)) : null)
        }
      for (const [file, text] of Object.entries(change.append ?? {})) files.set(file, `${now(file)}${text}\n`)
      for (const [file, pairs] of Object.entries(change.replace ?? {}))
        for (const [from, to] of pairs) {
          const text = now(file)
          if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`)
          files.set(
            file,
            text.replace(from, () => to),
          )
        }
      return files
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
