import { createHash, randomUUID } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openCore } from '../../../supabase/embedded/core'
import { databaseDirectory, markFinished, prepareDatabase } from '../../../supabase/embedded/data-dir'
import type { Query } from '../../../supabase/embedded/database/database'
import { loadKeys } from '../../../supabase/embedded/keys'
import { sqlFiles } from '../../../supabase/embedded/migrations'
import { ROOT } from '../../../supabase/embedded/root'
import { testBackend } from '../../support/backend'
import { signIn } from './support'

const BYTES = Buffer.from(`#!/bin/sh\n# ${'x'.repeat(100_000)}\n`)
const SHA256 = createHash('sha256').update(BYTES).digest('hex')
const FIRST = 'packages_are_files'

/** A tree with the migrations before packages became files. */
function earlierRoot(folder: string): string {
  const root = join(folder, 'root')
  const migrations = join(ROOT, 'supabase/migrations')
  mkdirSync(join(root, 'supabase/migrations'), { recursive: true })
  const names = sqlFiles(migrations).map(({ name }) => name)
  for (const name of names.slice(
    0,
    names.findIndex((each) => each.includes(FIRST)),
  ))
    cpSync(join(migrations, name), join(root, 'supabase/migrations', name))
  return root
}

describe('the packages of an earlier data directory', () => {
  let folder: string
  let dataDir: string
  const ids = { company: randomUUID(), app: randomUUID(), version: randomUUID(), older: randomUUID() }
  const orphan = randomUUID()
  const said: string[] = []

  const version = (id: string, name: string, isCurrent: boolean) =>
    `insert into public.corporate_app_files (id, company_id, corporate_app_id, package_version, file_name, size_bytes, sha256, is_current, created_at)
     values ('${id}', '${ids.company}', '${ids.app}', '${name}', 'setup.sh', ${BYTES.length}, '${SHA256}', ${isCurrent}, '2026-03-04 05:06:07+00')`

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'konsol-take-over-'))
    dataDir = join(folder, 'data')
    mkdirSync(dataDir, { mode: 0o700 })
    const blank = prepareDatabase(dataDir, () => undefined)
    const core = await openCore({
      root: earlierRoot(folder),
      pgliteUrl: databaseDirectory(dataDir),
      blank,
      demo: false,
      keys: loadKeys(dataDir, {}, false),
      siteUrl: 'http://localhost',
      mail: { send: async () => undefined },
      log: () => undefined,
    })
    markFinished(dataDir)
    const { query } = core.database
    await query(`insert into public.companies (id, name, status, license_type)
      values ('${ids.company}', 'Acme', 'Active', 'Pro')`)
    await query(`insert into public.corporate_apps (id, company_id, name, package_version, platform)
      values ('${ids.app}', '${ids.company}', 'ERP', '2', 'linux')`)
    await query(version(ids.older, '1', false))
    await query(version(ids.version, '2', true))
    await query(
      'insert into app.package_store (max_file_mb, max_company_mb) values (512, 10240) on conflict do nothing',
    )
    await core.close()
    mkdirSync(join(dataDir, 'packages'))
    for (const name of [ids.version, ids.older, orphan]) writeFileSync(join(dataDir, 'packages', name), BYTES)
    writeFileSync(join(dataDir, 'packages', `${randomUUID()}.part`), 'x')
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const started = async <R>(
    work: (backend: Awaited<ReturnType<typeof testBackend>>) => Promise<R>,
    options = {},
  ) => {
    const backend = await testBackend({
      demo: false,
      dataDir,
      log: (line) => said.push(line),
      ...options,
    })
    try {
      return await work(backend)
    } finally {
      await backend.stop()
    }
  }
  const versions = (query: Query) =>
    query(
      `select v.id, v.package_version, v.is_current, v.sha256, f.name, f.type, f.size::integer, f.record_id, f.field, f.path,
         f.uploaded_at::text, o.metadata ->> 'sha256' as stored
       from public.corporate_app_files v join public.files f on f.company_id = v.company_id and f.id = v.file_id
       join storage.objects o on o.bucket_id = 'files' and o.name = f.path order by v.package_version`,
    )

  it('stay where they are while the storage does not answer', async () => {
    await started(async ({ sql }) => expect(await versions(sql as Query)).toHaveLength(2), {
      storageUrl: 's3://a:b@127.0.0.1:9/konsol?tls=off',
    })
    expect(said.join('\n')).toContain('Uploaded packages could not be moved')
    expect(readdirSync(join(dataDir, 'packages')).sort()).toContain(ids.version)
    expect(readFileSync(join(dataDir, 'packages', ids.version)).equals(BYTES)).toBe(true)
  })

  it('become files of records at a start, with their ids, dates and checksums', async () => {
    await started(async (backend) => {
      const common = {
        sha256: SHA256,
        stored: SHA256,
        name: 'setup.sh',
        type: 'text/x-shellscript',
        size: BYTES.length,
        field: 'file_id',
        uploaded_at: expect.stringMatching(/^2026-03-04 05:06:07/),
      }
      expect(await versions(backend.sql as Query)).toEqual([
        {
          ...common,
          id: ids.older,
          record_id: ids.older,
          package_version: '1',
          is_current: false,
          path: `${ids.company}/${ids.older}`,
        },
        {
          ...common,
          id: ids.version,
          record_id: ids.version,
          package_version: '2',
          is_current: true,
          path: `${ids.company}/${ids.version}`,
        },
      ])
      expect(await backend.sql('select package_bytes::integer, bytes::integer from app.file_use')).toEqual([
        { package_bytes: 2 * BYTES.length, bytes: 0 },
      ])
      for (const id of [ids.version, ids.older])
        expect(readFileSync(join(dataDir, 'files', ids.company, id)).equals(BYTES)).toBe(true)
      // The console does not know the file of this id, and leaves it to the operator.
      expect(readdirSync(join(dataDir, 'packages'))).toEqual([orphan])
      expect(said.join('\n')).toContain('moved from packages/ to the files of records: 2.')
      expect(said.join('\n')).toContain('belong to no version of an app, and can be deleted: 1.')

      const admin = await signIn(backend, 'Admin', ids.company)
      const { data } = await admin.client.storage.from('files').download(`${ids.company}/${ids.version}`)
      expect(Buffer.from((await data?.arrayBuffer()) ?? new ArrayBuffer(0)).equals(BYTES)).toBe(true)
      const standard = await signIn(backend, 'Standard', ids.company)
      const refused = await standard.client.storage.from('files').download(`${ids.company}/${ids.version}`)
      expect(refused.data).toBeNull()
      await admin.client.from('corporate_app_files').delete().eq('id', ids.older).throwOnError()
      expect(await backend.sql('select package_bytes::integer from app.file_use')).toEqual([
        { package_bytes: BYTES.length },
      ])
    })
  })

  it('are not looked for again once the folder is gone', async () => {
    rmSync(join(dataDir, 'packages', orphan))
    await started(async ({ sql }) => expect(await versions(sql as Query)).toHaveLength(1))
    expect(existsSync(join(dataDir, 'packages'))).toBe(false)
  })
})
