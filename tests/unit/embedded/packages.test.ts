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
  /** The uploads by id: the size, and the checksum that the store wrote. */
  let uploads: Map<string, { userId: string; size: number; name?: string; sha256?: unknown }>
  /** Hold the database back. */
  let opened: Promise<void>
  let completed: Promise<void>
  let removals: string[]

  const query = (async (sql: string, [id, value]: unknown[] = []) => {
    const upload = uploads.get(String(id))
    if (sql.startsWith('select u.size_bytes')) {
      await opened
      return upload?.userId === value
        ? [{ size: String(upload?.size), file_name: upload?.name ?? 'a.run', platform: 'linux' }]
        : []
    }
    if (sql.startsWith('update app.package_uploads')) await completed
    if (sql.startsWith('update app.package_uploads') && upload) upload.sha256 = value
    if (sql.startsWith('select id from app.package_file_removals'))
      return removals.map((each) => ({ id: each }))
    if (sql.startsWith('delete from app.package_file_removals')) removals = []
    return []
  }) as unknown as Query
  const limits = { maxFileMb: 1, maxCompanyMb: 1 }
  const files = () => readdirSync(packagesFolder(dataDir))
  const announce = (size: number, userId = 'me', name = 'a.run') => {
    const id = randomUUID()
    uploads.set(id, { userId, size, name })
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
    opened = completed = Promise.resolve()
    store = new PackageStore(dataDir, limits)
  })
  afterEach(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('are written in pieces, hashed, and read back', async () => {
    const id = announce(6)
    expect(await store.append(query, id, 'me', 0, Buffer.from('#!c'))).toEqual({ received: 3, sha256: null })
    expect(files()).toEqual([`${id}.part`])
    const sha256 = createHash('sha256').update('#!cdef').digest('hex')
    expect(await store.append(query, id, 'me', 3, Buffer.from('def'))).toEqual({ received: 6, sha256 })
    expect([files(), uploads.get(id)?.sha256]).toEqual([[id], sha256])
    const file = store.read(id)
    expect(file && (await text(file))).toBe('#!cdef')
    expect(countPackages(dataDir)).toEqual({ files: 1, bytes: 6 })

    removals = [id]
    await store.removeDeleted(query)
    expect([files(), removals, store.read(id)]).toEqual([[], [], null])
  })

  it('refuse gaps, repeats, more than was announced, and other people', async () => {
    const id = announce(6)
    expect(await refusal(store.append(query, id, 'me', 3, Buffer.from('x')))).toBe(404)
    expect(await refusal(store.append(query, id, 'somebody', 0, Buffer.from('x')))).toBe(404)
    await store.append(query, id, 'me', 0, Buffer.from('#!c'))
    expect(await refusal(store.append(query, id, 'me', 0, Buffer.from('#!c')))).toBe(409)
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
      expect(await refusal(store.append(query, announce(6), 'me', 0, Buffer.from('#!')))).toBe(wanted)
    expect(await refusal(store.append(query, announce(6, 'you'), 'you', 0, Buffer.from('#!')))).toBe('taken')
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

  const gate = () => {
    let open = () => {}
    const closed = new Promise<void>((done) => {
      open = done
    })
    return { closed, open }
  }

  it('take one of two first pieces that arrive at once', async () => {
    const id = announce(6)
    const work = [Buffer.from('#!a'), Buffer.from('#!b')].map((piece) =>
      refusal(store.append(query, id, 'me', 0, piece)),
    )
    expect(await Promise.all(work)).toEqual(['taken', 409])
  })

  it('hold the limit of an account for first pieces that arrive at once', async () => {
    const hold = gate()
    opened = hold.closed
    const work = [1, 2, 3].map(() => refusal(store.append(query, announce(6), 'me', 0, Buffer.from('#!'))))
    hold.open()
    expect(await Promise.all(work)).toEqual(['taken', 'taken', 429])
  })

  it('leave nothing that the database does not know when they are given up during the last piece', async () => {
    const id = announce(3)
    const hold = gate()
    completed = hold.closed
    const work = refusal(store.append(query, id, 'me', 0, Buffer.from('#!c')))
    await expect.poll(files).toEqual([id])
    let isCanceled = false
    const cancel = store.cancel(id, 'me').then(() => {
      isCanceled = true
    })
    await new Promise((done) => setTimeout(done, 20))
    // The row has no checksum yet: who gives the upload up waits, and then finds it complete.
    expect(isCanceled).toBe(false)
    hold.open()
    expect(await work).toBe('taken')
    await cancel
    expect(uploads.get(id)?.sha256).toMatch(/^[0-9a-f]{64}$/)
  })

  it('end at once when they are given up while a piece is written', async () => {
    const id = announce(6)
    await store.append(query, id, 'me', 0, Buffer.from('#!c'))
    const work = refusal(store.append(query, id, 'me', 3, Buffer.from('def')))
    await store.cancel(id, 'me')
    expect([await work, files(), uploads.get(id)?.sha256]).toEqual([404, [], undefined])
  })

  it('refuse by its first bytes what cannot be installed', async () => {
    const id = announce(6, 'me', 'fake.deb')
    expect(await refusal(store.append(query, id, 'me', 0, Buffer.from('random')))).toBe(415)
    expect(files()).toEqual([])
  })
})
