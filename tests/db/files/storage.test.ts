import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DiskStore } from '../../../supabase/embedded/files/disk-store'
import { diskError, StorageFull, StorageUnavailable } from '../../../supabase/embedded/files/file-store'
import { Files } from '../../../supabase/embedded/files/files'
import { S3Store } from '../../../supabase/embedded/files/s3-store'
import { createCompany } from '../../support/accounts'
import { type TestBackend, testBackend } from '../../support/backend'
import { addDevice, announce, PDF, signIn, upload } from './support'

const temporary = () => mkdtempSync(join(tmpdir(), 'konsol-storage-'))

const LIMITS = { maxFileMb: 25, maxCompanyMb: 100, maxPackageMb: 512, maxPackagesMb: 1_000 }

describe('the files of a data directory', () => {
  let backend: TestBackend
  let company: string
  let device: string
  let directory: string

  beforeAll(async () => {
    directory = temporary()
    backend = await testBackend({ demo: false, dataDir: directory })
    company = await createCompany(backend)
    device = await addDevice(backend, company)
  })
  afterAll(async () => {
    await backend?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  it('are below the id of their company, and go when their row has gone', async () => {
    const admin = await signIn(backend, 'Admin', company)
    const file = await upload(admin, PDF, { company, record: device })
    const place = join(directory, 'files', file.path)
    expect(existsSync(place)).toBe(true)
    expect(readdirSync(join(directory, 'files/uploads'))).toEqual([])
    await admin.client.from('files').delete().eq('id', file.id).throwOnError()
    const files = new Files(directory, LIMITS)
    await files.removeDeleted(backend.sql)
    expect(existsSync(place)).toBe(false)
    expect(await backend.sql('select 1 from app.file_removals')).toEqual([])
    expect(await backend.sql('select 1 from storage.objects where name = $1', [file.path])).toEqual([])
  })

  it('that cannot be written are answered as such, leave no row, and are taken once the storage is back', async () => {
    const admin = await signIn(backend, 'Admin', company)
    const file = await announce(admin, { company, record: device, size: PDF.length })
    const send = async () => {
      const answer = await fetch(`${backend.url}/storage/v1/object/files/${file.path}`, {
        method: 'POST',
        headers: admin.headers,
        body: new Uint8Array(PDF),
      })
      return [answer.status, ((await answer.json()) as { hint?: string }).hint]
    }
    rmSync(join(directory, 'files'), { recursive: true })
    expect(await send()).toEqual([503, 'file_storage'])
    // A file in its place.
    writeFileSync(join(directory, 'files'), '')
    expect(await send()).toEqual([503, 'file_storage'])
    rmSync(join(directory, 'files'))
    expect(await backend.sql('select 1 from storage.objects where name = $1', [file.path])).toEqual([])
    expect((await admin.client.rpc('finish_file', { file_id: file.id })).error).toMatchObject({
      hint: 'file_unfinished',
    })
    expect(new Files(directory, LIMITS).limits.maxFileMb).toBe(25)
    expect(await send()).toEqual([200, undefined])
    await admin.client.rpc('finish_file', { file_id: file.id }).throwOnError()
  })

  it('name a full disk as such', () => {
    const failed = (code: string) => diskError(Object.assign(new Error(code), { code, syscall: 'write' }))
    for (const code of ['ENOSPC', 'EDQUOT']) expect(failed(code)).toBeInstanceOf(StorageFull)
    for (const code of ['EIO', 'EROFS', 'EACCES', 'ENOTDIR'])
      expect(failed(code)).toBeInstanceOf(StorageUnavailable)
  })

  it('are in no place but their own', async () => {
    const store = new DiskStore(directory)
    for (const path of ['../keys.json', 'keys.json', `${company}/../keys.json`, '/etc/passwd'])
      await expect(store.read(path)).rejects.toThrow('the ids of its company and its row')
  })
})

describe('the files of an S3 bucket', () => {
  let s3: S3rver
  let folder: string
  let url: string
  let backend: TestBackend
  let company: string
  let device: string

  beforeAll(async () => {
    folder = temporary()
    s3 = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: folder,
      configureBuckets: [{ name: 'konsol', configs: [] }],
    })
    const { port } = await s3.run()
    url = `s3://S3RVER:S3RVER@127.0.0.1:${port}/konsol?region=eu-central-1&tls=off`
    backend = await testBackend({ demo: false, storageUrl: url })
    company = await createCompany(backend)
    device = await addDevice(backend, company)
  })
  afterAll(async () => {
    await backend?.stop()
    await s3?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('are uploaded, read in part, and removed', async () => {
    const admin = await signIn(backend, 'Admin', company)
    const file = await upload(admin, PDF, { company, record: device })
    const read = (range?: string) =>
      fetch(`${backend.url}/storage/v1/object/files/${file.path}`, {
        headers: { ...admin.headers, ...(range ? { range } : {}) },
      }).then(async (answer) => [answer.status, Buffer.from(await answer.arrayBuffer()).toString()])
    expect(await read()).toEqual([200, PDF.toString()])
    expect(await read('bytes=1-3')).toEqual([206, 'PDF'])
    await admin.client.from('files').delete().eq('id', file.id).throwOnError()
    const files = new Files(null, LIMITS, url)
    await files.removeDeleted(backend.sql)
    await files.close()
    expect(await new S3Store(url).read(file.path)).toBeNull()
    expect(await backend.sql('select 1 from app.file_removals')).toEqual([])
  })

  it('wait on the list of removals while the bucket does not answer', async () => {
    const admin = await signIn(backend, 'Admin', company)
    const file = await upload(admin, PDF, { company, record: device })
    await admin.client.from('files').delete().eq('id', file.id).throwOnError()
    const gone = new Files(null, LIMITS, 's3://a:b@127.0.0.1:9/konsol?tls=off')
    await expect(gone.removeDeleted(backend.sql)).rejects.toBeInstanceOf(StorageUnavailable)
    await gone.close()
    expect(
      await backend.sql(
        'select attempts, remove_after > now() as later from app.file_removals where path = $1',
        [file.path],
      ),
    ).toEqual([{ attempts: 1, later: true }])
  })

  it('that answers with a refusal is told apart: full, forbidden, without the bucket', async () => {
    const answers: Record<string, [number, string]> = {
      full: [507, ''],
      quota: [403, '<Error><Code>QuotaExceeded</Code></Error>'],
      key: [403, '<Error><Code>SignatureDoesNotMatch</Code></Error>'],
      none: [404, '<Error><Code>NoSuchBucket</Code></Error>'],
      down: [503, ''],
    }
    const server: Server = createServer((request, response) => {
      request.resume()
      const [status, text] = answers[(request.url ?? '').split('/')[1] ?? ''] ?? [500, '']
      response.writeHead(status).end(text)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const source = join(folder, 'source')
    writeFileSync(source, 'x')
    const put = (bucket: string) =>
      new S3Store(`s3://a:b@127.0.0.1:${port}/${bucket}?tls=off`).put(`${company}/${device}`, source, 1)
    await expect(put('full')).rejects.toBeInstanceOf(StorageFull)
    await expect(put('quota')).rejects.toBeInstanceOf(StorageFull)
    for (const bucket of ['key', 'none', 'down'])
      await expect(put(bucket)).rejects.toBeInstanceOf(StorageUnavailable)
    // Kept for another attempt.
    expect(existsSync(source)).toBe(true)
    server.close()
  })

  it('have an address that says what is missing in it', () => {
    for (const bad of [
      'http://a:b@host/bucket',
      's3://host/bucket',
      's3://a:b@host',
      's3://a:b@host/a/b',
      'nonsense',
    ])
      expect(() => new S3Store(bad)).toThrow('STORAGE_URL must be')
  })
})
