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

/**
 * Packed data directories, so that a boot need neither run initdb nor the migrations. The name is a hash of all that
 * went in. Demo data counts from the time it was loaded, so a snapshot with it is good for the hour it was made in.
 * `withoutLast` leaves out that many of the newest migrations.
 */
export function snapshotFile(root: string, demo: boolean, withoutLast = 0): string {
  const sources = ['bootstrap.ts', 'api.ts', 'live/notices.ts'].map((name) => {
    try {
      return readFileSync(join(root, 'supabase/embedded', name), 'utf8')
    } catch {
      return ''
    }
  })
  const sql = [
    ...sqlFiles(join(root, 'supabase/migrations')).slice(0, withoutLast > 0 ? -withoutLast : undefined),
    ...(demo ? sqlFiles(join(root, 'supabase/seed')) : []),
  ].map((file) => `${file.name}\n${file.sql}`)
  const hour = demo ? new Date().toISOString().slice(0, 13) : ''
  const versions = [versionOf('@supabase/lite'), versionOf('@electric-sql/pglite')]
  const key = digest([...versions, ...sources, ...sql, hour].join('\0')).slice(0, 24)
  return join(root, 'supabase/.temp/snapshots', `${demo ? 'demo' : 'empty'}-${key}.tar.gz`)
}

/** How many new migrations it is still quicker to apply than to start over. */
const MAX_PENDING = 8

/**
 * The empty database as it is, or was before the newest migrations, if one was kept: `pending` of them are left to
 * apply.
 */
export function emptySnapshot(root: string): { packed: Uint8Array; pending: number } | undefined {
  for (let pending = 0; pending <= MAX_PENDING; pending++) {
    const packed = readSnapshot(snapshotFile(root, false, pending))
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
