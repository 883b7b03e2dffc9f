import { createHash, type Hash } from 'node:crypto'
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  type ReadStream,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { type FileHandle, open, rename, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Query } from './database/database'
import { contentProblem, type PackageName } from './package-content'

/** Megabytes. */
export interface PackageLimits {
  maxFileMb: number
  maxCompanyMb: number
}

/** The file is not what its upload announced, or its upload is gone. */
export class UploadRefused extends Error {
  constructor(
    readonly status: 404 | 409 | 413 | 415 | 429 | 507,
    readonly hint: string,
    message: string,
  ) {
    super(message)
  }
}

interface Upload {
  file: FileHandle
  hash: Hash
  userId: string
  size: number
  format: Pick<PackageName, 'file_name' | 'platform'>
  received: number
  /** The write under way. */
  writing: Promise<void> | null
  isCanceled: boolean
  usedAt: number
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const PART = '.part'
const MAX_UPLOADS = 16
const MAX_UPLOADS_OF_USER = 2
/** An upload that stops for so long is given up. */
const IDLE_MS = 120_000
/** Always left on the disk: a full one stops the database. */
const RESERVE_BYTES = 512 * 1024 * 1024

const gone = () =>
  new UploadRefused(404, 'upload_gone', 'The upload is not known, or was given up. Start it again.')

/** Uploaded packages on this server's disk. A file's name is the id of its row, never a text of a user. */
export class PackageStore {
  readonly #uploads = new Map<string, Upload>()
  /** Uploads whose first piece is being taken: they have a place before their file is open. */
  readonly #opening = new Map<string, string>()
  readonly #folder: string
  readonly #isTemporary: boolean
  readonly limits: PackageLimits

  /** @param dataDir null keeps the files until the process ends */
  constructor(dataDir: string | null, limits: PackageLimits) {
    this.limits = limits
    this.#isTemporary = dataDir === null
    this.#folder =
      dataDir === null ? mkdtempSync(join(tmpdir(), 'konsol-packages-')) : packagesFolder(dataDir)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    // Parts of uploads that the last end of the server cut off are removed.
    for (const name of readdirSync(this.#folder))
      if (name.endsWith(PART)) rmSync(join(this.#folder, name), { force: true })
  }

  /** Tells the database that this backend takes uploads. */
  async announce(query: Query): Promise<void> {
    await query(
      `insert into app.package_store (max_file_mb, max_company_mb) values ($1, $2)
       on conflict (only_row) do update set max_file_mb = excluded.max_file_mb, max_company_mb = excluded.max_company_mb`,
      [this.limits.maxFileMb, this.limits.maxCompanyMb],
    )
  }

  /**
   * Appends bytes to an upload.
   * @returns how many bytes it has, and its checksum once it has all
   * @throws UploadRefused
   */
  async append(
    query: Query,
    id: string,
    userId: string,
    offset: number,
    bytes: Uint8Array,
  ): Promise<{ received: number; sha256: string | null }> {
    await this.#giveUpIdle()
    const upload = this.#uploads.get(id) ?? (offset === 0 ? await this.#open(query, id, userId) : undefined)
    // Another's upload is answered as one that does not exist.
    if (!upload || upload.userId !== userId) throw gone()
    if (upload.writing || offset !== upload.received)
      throw new UploadRefused(409, 'upload_offset', `The upload has ${upload.received} bytes.`)
    if (offset + bytes.length > upload.size)
      throw new UploadRefused(413, 'upload_size', 'The file is larger than was announced.')
    let isWritten = () => {}
    upload.writing = new Promise<void>((done) => {
      isWritten = done
    })
    try {
      const problem = offset === 0 ? contentProblem(upload.format, bytes) : null
      if (problem) throw new UploadRefused(415, problem.hint, problem.message)
      await upload.file.write(bytes)
      upload.hash.update(bytes)
      upload.received += bytes.length
      upload.usedAt = Date.now()
      if (upload.isCanceled) throw gone()
      if (upload.received < upload.size) return { received: upload.received, sha256: null }
      return { received: upload.received, sha256: await this.#complete(query, id, upload) }
    } catch (error) {
      await this.#discard(id, upload)
      throw (error as NodeJS.ErrnoException).code === 'ENOSPC' ? full() : error
    } finally {
      upload.writing = null
      isWritten()
    }
  }

  /** Waits for a write under way, so that nothing of the upload is left when it returns. */
  async cancel(id: string, userId: string): Promise<void> {
    const upload = this.#uploads.get(id)
    if (!upload || upload.userId !== userId) return
    upload.isCanceled = true
    await upload.writing
    await this.#discard(id, upload)
  }

  async #discard(id: string, upload: Upload): Promise<void> {
    if (this.#uploads.get(id) === upload) this.#uploads.delete(id)
    await upload.file.close().catch(() => undefined)
    await rm(this.#path(id) + PART, { force: true })
  }

  /** Null when the file is not there, as after a restore of the database alone. */
  read(id: string): ReadStream | null {
    if (!ID.test(id)) return null
    try {
      statSync(this.#path(id))
    } catch {
      return null
    }
    return createReadStream(this.#path(id))
  }

  /** Removes files whose rows were deleted, some at a time. */
  async removeDeleted(query: Query): Promise<void> {
    await this.#giveUpIdle()
    const rows = await query<{ id: string }>(
      'select id from app.package_file_removals where remove_after < now() order by remove_after limit 100',
    )
    for (const { id } of rows) if (ID.test(id)) await rm(this.#path(id), { force: true })
    if (rows.length > 0)
      await query('delete from app.package_file_removals where id = any ($1)', [rows.map(({ id }) => id)])
  }

  /** For a database that was made anew. */
  clear(): void {
    for (const name of readdirSync(this.#folder)) rmSync(join(this.#folder, name), { force: true })
  }

  async close(): Promise<void> {
    for (const [id, { userId }] of this.#uploads) await this.cancel(id, userId)
    if (this.#isTemporary) rmSync(this.#folder, { recursive: true, force: true })
  }

  #path(id: string): string {
    if (!ID.test(id)) throw gone()
    return join(this.#folder, id)
  }

  async #open(query: Query, id: string, userId: string): Promise<Upload> {
    if (!ID.test(id)) throw gone()
    if (this.#opening.has(id)) throw new UploadRefused(409, 'upload_offset', 'The upload has just begun.')
    const owners = [...[...this.#uploads.values()].map((upload) => upload.userId), ...this.#opening.values()]
    if (
      owners.filter((owner) => owner === userId).length >= MAX_UPLOADS_OF_USER ||
      owners.length >= MAX_UPLOADS
    )
      throw new UploadRefused(429, 'upload_busy', 'Too many uploads at once.')
    this.#opening.set(id, userId)
    try {
      const [row] = await query<{ size: string; file_name: string; platform: string }>(
        `select u.size_bytes::text as size, u.file_name, a.platform
         from app.package_uploads u join public.corporate_apps a on a.company_id = u.company_id and a.id = u.corporate_app_id
         where u.id = $1 and u.user_id = $2 and u.sha256 is null and u.size_bytes > 0`,
        [id, userId],
      )
      if (!row) throw gone()
      const size = Number(row.size)
      const disk = await statfs(this.#folder)
      if (disk.bavail * disk.bsize < size + RESERVE_BYTES) throw full()
      const upload: Upload = {
        file: await open(this.#path(id) + PART, 'w', 0o600),
        hash: createHash('sha256'),
        userId,
        size,
        format: row,
        received: 0,
        writing: null,
        isCanceled: false,
        usedAt: Date.now(),
      }
      this.#uploads.set(id, upload)
      return upload
    } finally {
      this.#opening.delete(id)
    }
  }

  async #complete(query: Query, id: string, upload: Upload): Promise<string> {
    const sha256 = upload.hash.digest('hex')
    await upload.file.sync()
    await upload.file.close()
    if (upload.isCanceled) throw gone()
    await rename(this.#path(id) + PART, this.#path(id))
    // Until the row says so, a cancellation still finds the upload, and waits for it.
    await query('update app.package_uploads set sha256 = $2 where id = $1 and size_bytes > 0', [id, sha256])
    this.#uploads.delete(id)
    return sha256
  }

  async #giveUpIdle(): Promise<void> {
    const now = Date.now()
    for (const [id, upload] of this.#uploads)
      if (!upload.writing && upload.usedAt < now - IDLE_MS) await this.cancel(id, upload.userId)
  }
}

const full = () => new UploadRefused(507, 'upload_disk', 'The disk of the server has no room for this file.')

export const packagesFolder = (dataDir: string): string => join(resolve(dataDir), 'packages')

/** The packages of a data directory, which a backup of the database leaves out. */
export function countPackages(dataDir: string): { files: number; bytes: number } {
  try {
    const names = readdirSync(packagesFolder(dataDir)).filter((name) => ID.test(name))
    const sizes = names.map((name) => statSync(join(packagesFolder(dataDir), name)).size)
    return { files: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) }
  } catch {
    return { files: 0, bytes: 0 }
  }
}
