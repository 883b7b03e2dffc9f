import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { startServer } from '../../supabase/embedded/server'
import { snapshotFile } from '../../supabase/embedded/snapshot'
import { madeOnce } from './made-once'
import { postgresVersion, startPostgres } from './postgres'

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'supabase/.temp/postgres')
const KEPT = 4

/** Migrates a new database, loads the demo data if asked to, and leaves its stopped data directory as `template`. */
async function make(template: string, demo: boolean): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'konsol-template-'))
  try {
    const postgres = await startPostgres({ directory })
    try {
      const server = await startServer({
        port: 0,
        host: '127.0.0.1',
        dataDir: 'memory://',
        databaseUrl: postgres.url,
        demo,
        serveDist: null,
        timers: false,
        log: () => undefined,
      })
      await server.stop()
    } finally {
      await postgres.stop()
    }
    mkdirSync(FOLDER, { recursive: true })
    // Created under a temporary name and renamed, so that nobody copies a partial one.
    const draft = `${template}.${process.pid}`
    execFileSync('cp', ['-a', join(directory, 'data'), draft])
    renameSync(draft, template)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
  const old = readdirSync(FOLDER)
    .map((name) => ({ path: join(FOLDER, name), at: statSync(join(FOLDER, name)).ctimeMs }))
    .sort((a, b) => b.at - a.at)
    .slice(KEPT)
  for (const { path } of old) rmSync(path, { recursive: true, force: true })
}

/**
 * A migrated data directory that tests copy: initdb, the migrations and the demo data are most of a short test.
 * The directory's name has the digest of PGlite's snapshot, so both are rebuilt together.
 */
export async function postgresTemplate(demo: boolean): Promise<string> {
  const template = join(FOLDER, `${postgresVersion()}-${basename(snapshotFile(ROOT, demo), '.tar.gz')}`)
  await madeOnce(template, () => make(template, demo))
  return template
}
