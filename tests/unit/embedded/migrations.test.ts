import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../supabase/embedded/database/database'
import { appliedMigrations, applyMigrations, digest } from '../../../supabase/embedded/migrations'

describe('a database of another version', () => {
  const directory = mkdtempSync(join(tmpdir(), 'migrations-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  for (const name of ['20270101000000_create_one.sql', '20270102000000_create_two.sql'])
    writeFileSync(join(directory, name), 'select 1;')

  const read = (versions: readonly string[], isEmbedded: boolean, remedy?: string) => {
    const database = {
      kind: isEmbedded ? 'pglite' : 'postgres',
      query: async () => versions.map((version) => ({ version, name: 'create_it', digest: null })),
    } as unknown as Database
    return appliedMigrations(database, directory, remedy)
  }
  const development = ['20261121000000', '20270101310000']

  it('is refused with `npm run demo:reset` when the development version made the data directory', async () => {
    await expect(read(development, true)).rejects.toThrow(
      'The database was made by a development version of Konsol. Its data cannot be carried over. ' +
        'Replace it with new demo data (npm run demo:reset), or set DATA_DIR to another directory.',
    )
  })

  it('asks for an empty database when the development version filled that of DATABASE_URL', async () => {
    await expect(read(development, false)).rejects.toThrow(
      'Its data cannot be carried over. Set DATABASE_URL to an empty database.',
    )
  })

  it('never advises to delete data when a backup of the development version is restored', async () => {
    await expect(read(development, true, 'Restore another backup.')).rejects.toThrow(
      /carried over\. Restore another backup\.$/,
    )
  })

  it('names the migration that only a newer version has', async () => {
    await expect(read(['20270101000000', '20270103000000'], true)).rejects.toThrow(
      'The database has the migration 20270103000000_create_it, which this version of Konsol does not have. ' +
        'Start the version that created it, or restore an earlier backup.',
    )
  })

  it('is opened when it has fewer migrations', async () => {
    expect(await read(['20270101000000'], true)).toHaveLength(1)
    expect(await read([], false)).toEqual([])
  })

  it('keeps what it has of a migration that was changed since, and says so', async () => {
    const rows = ['select 1;', 'select 2;'].map((sql, index) => ({
      version: `2027010${index + 1}000000`,
      name: 'create_it',
      digest: digest(sql),
    }))
    const database = { kind: 'pglite', query: async () => rows } as unknown as Database
    const warned: string[] = []
    const { applied } = await applyMigrations(database, directory, (line) => void warned.push(line))
    expect(applied).toEqual([])
    expect(warned).toEqual([expect.stringContaining('20270102000000_create_two.sql was changed after')])
  })
})
