import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { digest, sqlFiles } from './migrations'
import { replaceFile } from './replace-file'

const require = createRequire(import.meta.url)
const KEPT = 6

const versionOf = (name: string): string => {
  try {
    return (require(`${name}/package.json`) as { version: string }).version
  } catch {
    return ''
  }
}

const digestsOf = (directory: string): string[] =>
  sqlFiles(directory).map(({ name, sql }) => digest(`${name}\n${sql}`))

/** Sources other than SQL that shape an empty database. */
const makers = (root: string): string[] => [
  ...['@supabase/lite', '@electric-sql/pglite'].map(versionOf),
  ...['bootstrap.ts', 'api.ts', 'live/notices.ts'].map((name) => {
    try {
      return readFileSync(join(root, 'supabase/embedded', name), 'utf8')
    } catch {
      return ''
    }
  }),
]

const fileOf = (root: string, kind: 'demo' | 'empty', ingredients: readonly string[]): string =>
  join(root, 'supabase/.temp/snapshots', `${kind}-${digest(ingredients.join('\0')).slice(0, 24)}.tar.gz`)

/**
 * Packed data directories, so that a boot need neither run initdb nor the migrations. The name is a hash of all that
 * went in. Demo data counts from the time it was loaded, so a snapshot with it is good for the hour it was made in.
 */
export function snapshotFile(root: string, demo: boolean): string {
  const ingredients = [...makers(root), ...digestsOf(join(root, 'supabase/migrations'))]
  if (!demo) return fileOf(root, 'empty', ingredients)
  const hour = new Date().toISOString().slice(0, 13)
  return fileOf(root, 'demo', [...ingredients, ...digestsOf(join(root, 'supabase/seed')), hour])
}

/** How many new migrations it is still quicker to apply than to start over. */
const MAX_PENDING = 8

/**
 * The empty database as it is, or was before the newest migrations, if one was kept: `pending` of them are left to
 * apply.
 */
export function emptySnapshot(root: string): { packed: Uint8Array; pending: number } | undefined {
  const fixed = makers(root)
  const migrations = digestsOf(join(root, 'supabase/migrations'))
  for (let pending = 0; pending <= Math.min(MAX_PENDING, migrations.length); pending++) {
    const file = fileOf(root, 'empty', [...fixed, ...migrations.slice(0, migrations.length - pending)])
    const packed = readSnapshot(file)
    if (packed) return { packed, pending }
  }
  return undefined
}

export function readSnapshot(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** A full disk only costs speed. */
export async function writeSnapshot(file: string, packed: ArrayBuffer): Promise<void> {
  try {
    const directory = join(file, '..')
    // Another process may write the same one.
    replaceFile(file, Buffer.from(packed), { draft: `${file}.${process.pid}` })
    const old = readdirSync(directory)
      .map((name) => ({ path: join(directory, name), at: statSync(join(directory, name)).mtimeMs }))
      .sort((a, b) => b.at - a.at)
      .slice(KEPT)
    for (const { path } of old) rmSync(path, { force: true })
  } catch {
    // The next boot takes the long way once more.
  }
}
