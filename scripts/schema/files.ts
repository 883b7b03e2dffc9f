import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../supabase/embedded/start-error'

/** A file of `supabase/schemas`, relative to the root of the tree. */
export interface SchemaFile {
  path: string
  sql: string
}

/** The paths of `schema_paths` in `supabase/config.toml`, with `*` for a folder or a name: what the Supabase CLI reads, in its order. */
function schemaPaths(root: string): string[] {
  const text = readFileSync(join(root, 'supabase/config.toml'), 'utf8')
  const list = /^schema_paths\s*=\s*\[([^\]]*)\]/m.exec(text)?.[1]
  if (list === undefined) throw new StartError('supabase/config.toml has no schema_paths.')
  return [...list.matchAll(/"\.\/([^"]+)"/g)].map(([, path = '']) => path)
}

/**
 * The final state of the database, in the order in which it can be made.
 * @throws when a file of `supabase/schemas` is named by no path of `schema_paths`
 */
export function schemaFiles(root: string): SchemaFile[] {
  const folder = join(root, 'supabase/schemas')
  const domains = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
  const stray = readdirSync(folder, { withFileTypes: true }).find((entry) => !entry.isDirectory())
  if (stray)
    throw new StartError(
      `supabase/schemas/${stray.name} is in no folder, so nobody reads it: move it to its domain.`,
    )
  const there = domains.flatMap((domain) =>
    readdirSync(join(folder, domain))
      .sort()
      .map((name) => `schemas/${domain}/${name}`),
  )
  const ordered = schemaPaths(root).flatMap((path) => {
    const [, domain, name] = path.split('/')
    return there.filter((each) => {
      const [, folder, file = ''] = each.split('/')
      return (
        (domain === '*' || domain === folder) &&
        (name === file || (name === '*.sql' && file.endsWith(name.slice(1))))
      )
    })
  })
  const unread = there.find((path) => !ordered.includes(path))
  if (unread)
    throw new StartError(`supabase/${unread} is named by no path of schema_paths in supabase/config.toml.`)
  return ordered.map((path) => ({
    path: `supabase/${path}`,
    sql: readFileSync(join(root, 'supabase', path), 'utf8'),
  }))
}

/** The first migration: all files, one after the other. */
export function renderBaseline(files: readonly SchemaFile[]): string {
  const header =
    '-- Written by `npm run schema -- baseline` from supabase/schemas. Change those files, then run `npm run schema -- diff <name>`.'
  return [header, ...files.map(({ sql }) => sql.trimEnd())].join('\n\n').concat('\n')
}

/** The names of tables and functions that a migration is about; files that name none of them are not read. */
export function namesIn(migrations: readonly { sql: string }[]): string[] {
  const code = migrations.map(({ sql }) => sql.replace(/--[^\n]*/g, '')).join('\n')
  // A new table does not change the tables that it refers to.
  const targets = /^\s*create table\b/im.test(code)
    ? []
    : [...code.matchAll(/\breferences\s+(?:public|app)\.(\w+)/gi)]
  const named =
    /\b(?:table(?: if exists)?|on|view|index|(?<!\bexecute )function|keep_\w+\(')\s*(?:public|app)\.(\w+)/gi
  return [...new Set([...code.matchAll(named), ...targets].map(([, name = '']) => name))]
}

/** The file of a resource that a migration makes: its text without the comments that begin it. */
export function wholeFile(migration: { sql: string }): string {
  return `${migration.sql.replace(/^(?:--[^\n]*\n)+\n*/, '').trim()}\n`
}
