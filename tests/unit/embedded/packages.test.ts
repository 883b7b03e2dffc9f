import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Query } from '../../../supabase/embedded/database/database'
import { countPackages, PackageStore, packagesFolder } from '../../../supabase/embedded/packages'

describe('the packages of a server', () => {
  let dataDir: string
  let store: PackageStore
  /** By id: its size, and the checksum that the store wrote. */
  let uploads: Map<string, { userId: string; size: number; sha256?: unknown }>
  let removals: string[]

  const query = (async (sql: string, [id, value]: unknown[] = []) => {
    const upload = uploads.get(String(id))
    if (sql.startsWith('select size_bytes'))
      return upload?.userId === value ? [{ size: String(upload?.size) }] : []
    if (sql.startsWith('update app.package_uploads') && upload) upload.sha256 = value
    if (sql.startsWith('select id from app.package_file_removals'))
      return removals.map((each) => ({ id: each }))
    if (sql.startsWith('delete from app.package_file_removals')) removals = []
    return []
  }) as unknown as Query
  const limits = { maxFileMb: 1, maxCompanyMb: 1 }
  const files = () => readdirSync(packagesFolder(dataDir))
  const announce = (size: number, userId = 'me') => {
    const id = randomUUID()
    uploads.set(id, { userId, size })
    return id
  }
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'taken',
      (error: { status?: number }) => error.status ?? error,
    )

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'konsol-packages-test-'))
    uploads = new Map()
    removals = []
    store = new PackageStore(dataDir, limits)
  })
  afterEach(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('are written in pieces, hashed, and read back', async () => {
    const id = announce(6)
    expect(await store.append(query, id, 'me', 0, Buffer.from('abc'))).toEqual({ received: 3, sha256: null })
    expect(files()).toEqual([`${id}.part`])
    const sha256 = createHash('sha256').update('abcdef').digest('hex')
    expect(await store.append(query, id, 'me', 3, Buffer.from('def'))).toEqual({ received: 6, sha256 })
    expect([files(), uploads.get(id)?.sha256]).toEqual([[id], sha256])
    const file = store.read(id)
    expect(file && (await text(file))).toBe('abcdef')
    expect(countPackages(dataDir)).toEqual({ files: 1, bytes: 6 })

    removals = [id]
    await store.removeDeleted(query)
    expect([files(), removals, store.read(id)]).toEqual([[], [], null])
  })

  it('refuse gaps, repeats, more than was announced, and other people', async () => {
    const id = announce(6)
    expect(await refusal(store.append(query, id, 'me', 3, Buffer.from('x')))).toBe(404)
    expect(await refusal(store.append(query, id, 'somebody', 0, Buffer.from('x')))).toBe(404)
    await store.append(query, id, 'me', 0, Buffer.from('abc'))
    expect(await refusal(store.append(query, id, 'me', 0, Buffer.from('abc')))).toBe(409)
    expect(await refusal(store.append(query, id, 'me', 5, Buffer.from('f')))).toBe(409)
    expect(await refusal(store.append(query, id, 'somebody', 3, Buffer.from('def')))).toBe(404)
    expect(await refusal(store.append(query, id, 'me', 3, Buffer.from('defg')))).toBe(413)
    await store.cancel(id, 'somebody')
    expect(files()).toEqual([`${id}.part`])
    await store.cancel(id, 'me')
    expect(files()).toEqual([])
    expect(await refusal(store.append(query, id, 'me', 3, Buffer.from('def')))).toBe(404)
  })

  it('let one account upload two files at once', async () => {
    for (const wanted of ['taken', 'taken', 429])
      expect(await refusal(store.append(query, announce(6), 'me', 0, Buffer.from('a')))).toBe(wanted)
    expect(await refusal(store.append(query, announce(6, 'you'), 'you', 0, Buffer.from('a')))).toBe('taken')
  })

  it('leave their folder for no id', async () => {
    writeFileSync(join(dataDir, 'keys.json'), 'secret')
    const outside = '../keys.json'
    uploads.set(outside, { userId: 'me', size: 1 })
    removals = [outside]
    expect(store.read(outside)).toBeNull()
    expect(await refusal(store.append(query, outside, 'me', 0, Buffer.from('x')))).toBe(404)
    await store.removeDeleted(query)
    expect(existsSync(join(dataDir, 'keys.json'))).toBe(true)
  })

  it('forget what the end of the server cut off', async () => {
    const folder = packagesFolder(dataDir)
    const kept = randomUUID()
    writeFileSync(join(folder, `${randomUUID()}.part`), 'x')
    writeFileSync(join(folder, kept), 'x')
    await new PackageStore(dataDir, limits).close()
    expect(files()).toEqual([kept])
  })
})
