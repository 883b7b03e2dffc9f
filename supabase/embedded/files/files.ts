import { createHash } from 'node:crypto'
import { createReadStream, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { open, readdir, rm, stat, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Query } from '../database/database'
import { contentType, PROGRAM, SNIFFED_BYTES } from './content-type'
import { DiskStore } from './disk-store'
import { type ByteRange, diskError, type FileStore, StorageFull } from './file-store'
import { packageType } from './package-type'
import { S3Store } from './s3-store'

/** Megabytes. */
export interface FileLimits {
  maxFileMb: number
  maxCompanyMb: number
  /** The largest package of a corporate app, and the room of a company for all of them. */
  maxPackageMb: number
  maxPackagesMb: number
}

/** Why an upload was refused, with the hint that the console has words for. */
export class FileRefused extends Error {
  constructor(
    readonly status: 400 | 409 | 413 | 415 | 423,
    readonly hint: string,
    message: string,
  ) {
    super(message)
  }
}

/** An upload as its row announces it. */
export interface Announced {
  path: string
  /** The file name, or null for a preview. */
  name: string | null
  /** Bytes: exact for a file, the largest for a preview. */
  size: number
  /** A program for devices, which every other upload must not be. */
  isPackage?: boolean
}

/** An upload that has arrived: its bytes, its type by the content, and the checksum of a package. */
export interface Arrived {
  size: number
  type: string
  sha256?: string
}

/** The `metadata` of an object in `storage.objects`, as Supabase Storage writes them. */
export const objectMetadata = (path: string, { size, type, sha256 }: Arrived) => ({
  size,
  mimetype: type,
  contentLength: size,
  eTag: `"${path.slice(37, 45)}-${size.toString(16)}"`,
  cacheControl: 'no-cache',
  lastModified: new Date().toISOString(),
  httpStatusCode: 200,
  ...(sha256 ? { sha256 } : {}),
})

/** Always left on the disk: a full one stops the database. */
const RESERVE_BYTES = 512 * 1024 * 1024
/** Parts that nobody goes on with. */
const PART_HOURS = 25
const PARTS = 'uploads'
/** A request that does not stop within this time is waiting for the storage, and is not disturbed. */
const STOP_MS = 3_000
const MAX_DRAINED = 8 * 1024 * 1024

export const filesFolder = (dataDir: string): string => join(resolve(dataDir), 'files')

/** The bytes of files: uploads under way on this disk, and what has arrived in the folder or bucket of the server. */
export class Files {
  readonly limits: FileLimits
  readonly store: FileStore
  readonly #parts: string
  readonly #folder: string
  readonly #isTemporary: boolean
  /** The requests that write, by path: how each is told to stop, and its end. */
  readonly #busy = new Map<string, { stop: AbortController; ended: Promise<void> }>()

  /** @param dataDir null keeps the files until the process ends */
  constructor(dataDir: string | null, limits: FileLimits, storageUrl?: string) {
    this.limits = limits
    this.#isTemporary = dataDir === null
    this.#folder = dataDir === null ? mkdtempSync(join(tmpdir(), 'konsol-files-')) : filesFolder(dataDir)
    this.#parts = join(this.#folder, PARTS)
    mkdirSync(this.#parts, { recursive: true, mode: 0o700 })
    this.store = storageUrl ? new S3Store(storageUrl) : new DiskStore(this.#folder)
  }

  /** Tells the database the limits of this server. */
  async announce(query: Query): Promise<void> {
    await query(
      `insert into app.file_store (max_file_mb, max_company_mb, max_package_mb, max_packages_mb) values ($1, $2, $3, $4)
       on conflict (only_row) do update set max_file_mb = excluded.max_file_mb, max_company_mb = excluded.max_company_mb,
         max_package_mb = excluded.max_package_mb, max_packages_mb = excluded.max_packages_mb`,
      [this.limits.maxFileMb, this.limits.maxCompanyMb, this.limits.maxPackageMb, this.limits.maxPackagesMb],
    )
  }

  get partsFolder(): string {
    return this.#parts
  }

  /** The place of a file on its way to the storage. */
  partOf(path: string): string {
    return join(this.#parts, path.replace('/', '_'))
  }

  /** The bytes of an upload that have arrived; 0 for one that has not begun. */
  async received(path: string): Promise<number> {
    return stat(this.partOf(path)).then(
      ({ size }) => size,
      () => 0,
    )
  }

  /**
   * Runs the work while no other request writes to the path. A request before it is told to stop reading: its client may
   * be gone without a word, and has come back with this one.
   */
  async alone<R>(path: string, work: (stopped: AbortSignal) => Promise<R>): Promise<R> {
    const before = this.#busy.get(path)
    if (before) {
      before.stop.abort()
      await Promise.race([before.ended, sleep(STOP_MS)])
    }
    if (this.#busy.has(path))
      throw new FileRefused(423, 'file_busy', 'Another request writes to this upload.')
    let end = () => {}
    const stop = new AbortController()
    const ended = new Promise<void>((done) => {
      end = done
    })
    this.#busy.set(path, { stop, ended })
    try {
      return await work(stop.signal)
    } finally {
      this.#busy.delete(path)
      end()
    }
  }

  /**
   * Appends bytes to the part of an upload, and keeps what arrived when the client leaves.
   * @returns how many bytes there are, and whether the body came to its end
   * @throws FileRefused for the first bytes of a program, and beyond the announced size; StorageFull
   */
  async append(
    { path, name, size, isPackage = false }: Announced,
    offset: number,
    chunks: AsyncIterable<Uint8Array>,
  ): Promise<{ received: number; isWhole: boolean }> {
    const disk = await statfs(this.#parts).catch((error: unknown) => {
      throw diskError(error)
    })
    if (disk.bavail * disk.bsize < size - offset + RESERVE_BYTES)
      throw new StorageFull('The disk has no room.')
    const place = this.partOf(path)
    const file = await open(place, offset === 0 ? 'w+' : 'r+', 0o600).catch((error: unknown) => {
      throw diskError(error)
    })
    let received = offset
    let isWhole = true
    try {
      try {
        for await (const chunk of chunks) {
          if (received + chunk.length > size)
            throw new FileRefused(413, 'file_size', 'The file is larger than was announced.')
          await file.write(chunk, 0, chunk.length, received)
          received += chunk.length
        }
      } catch (error) {
        if (error instanceof FileRefused) throw error
        if ((error as NodeJS.ErrnoException).syscall) throw diskError(error)
        // The client is gone: it goes on with the bytes that are here.
        isWhole = false
      }
      if (received > 0 && offset < SNIFFED_BYTES && name !== null) {
        const head = Buffer.alloc(Math.min(SNIFFED_BYTES, received))
        await file.read(head, 0, head.length, 0)
        checkType(head, name, isPackage)
      }
    } catch (error) {
      await file.close()
      await this.discard(path)
      if (error instanceof FileRefused) await drain(chunks)
      throw error
    }
    await file.close()
    return { received, isWhole }
  }

  async discard(path: string): Promise<void> {
    await rm(this.partOf(path), { force: true })
  }

  /**
   * Hands the finished part to the storage.
   * @returns its size, its type by its content, and the checksum of a package
   * @throws FileRefused; StorageFull or StorageUnavailable, with the part kept for another attempt
   */
  async complete({ path, name, size, isPackage = false }: Announced): Promise<Arrived> {
    const place = this.partOf(path)
    const received = await this.received(path)
    if (name !== null && received !== size)
      throw new FileRefused(400, 'file_size', 'The file is not as large as was announced.')
    const head = Buffer.alloc(Math.min(SNIFFED_BYTES, received))
    const file = await open(place, 'r').catch((error: unknown) => {
      throw diskError(error)
    })
    try {
      await file.read(head, 0, head.length, 0)
    } finally {
      await file.close()
    }
    let type: string
    try {
      type = checkType(head, name, isPackage)
    } catch (error) {
      await this.discard(path)
      throw error
    }
    const sha256 = isPackage && name !== null ? await checksum(place) : undefined
    await this.store.put(path, place, received)
    return { size: received, type, ...(sha256 ? { sha256 } : {}) }
  }

  read(path: string, range?: ByteRange) {
    return this.store.read(path, range)
  }

  /** Removes the bytes of deleted files, some at a time; what the storage does not take is tried again later. */
  async removeDeleted(query: Query): Promise<void> {
    await this.#forgetParts()
    const rows = await query<{ path: string }>(
      'select path from app.file_removals where remove_after < now() order by remove_after limit 100',
    )
    let failure: unknown
    for (const { path } of rows) {
      try {
        await this.discard(path)
        await this.store.remove(path)
        await query(`delete from storage.objects where bucket_id = 'files' and name = $1`, [path])
        await query('delete from app.file_removals where path = $1', [path])
      } catch (error) {
        failure = error
        await query(
          `update app.file_removals set attempts = attempts + 1,
             remove_after = now() + least(interval '1 hour', interval '20 seconds' * power(2, least(attempts, 8)))
           where path = $1`,
          [path],
        )
      }
    }
    if (failure) throw failure
  }

  async #forgetParts(): Promise<void> {
    const old = Date.now() - PART_HOURS * 3_600_000
    for (const name of await readdir(this.#parts).catch(() => [])) {
      const place = join(this.#parts, name)
      const found = await stat(place).catch(() => null)
      if (found && found.mtimeMs < old) await rm(place, { force: true })
    }
  }

  /** For a database that was made anew. */
  clear(): void {
    this.store.clear()
    rmSync(this.#parts, { recursive: true, force: true })
    mkdirSync(this.#parts, { recursive: true, mode: 0o700 })
  }

  async close(): Promise<void> {
    if (this.#isTemporary) rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Reads on for a while: a client that still sends would never see the answer. */
async function drain(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  let bytes = 0
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > MAX_DRAINED) return
    }
  } catch {
    // The client has left.
  }
}

const program = () =>
  new FileRefused(
    415,
    'file_program',
    'Programs, scripts and shortcuts are not taken. Pack the file into an archive.',
  )

/** @throws FileRefused when the field does not take such a file */
function checkType(head: Uint8Array, name: string | null, isPackage: boolean): string {
  if (isPackage && name !== null) {
    const found = packageType(name, head)
    if ('hint' in found) throw new FileRefused(415, found.hint, found.message)
    return found.type
  }
  const type = contentType(head, name ?? 'preview.webp')
  if (type === PROGRAM) throw program()
  if (name === null && type !== 'image/webp')
    throw new FileRefused(415, 'file_type', 'A preview is a WebP image.')
  return type
}

/** @throws StorageUnavailable when the disk cannot be read */
async function checksum(place: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of createReadStream(place)) hash.update(chunk as Uint8Array)
  } catch (error) {
    throw diskError(error)
  }
  return hash.digest('hex')
}

/** The files in a data directory, which a backup of the database leaves out. */
export function countFiles(dataDir: string): { files: number; bytes: number } {
  const found = { files: 0, bytes: 0 }
  try {
    const folder = filesFolder(dataDir)
    for (const company of readdirSync(folder)) {
      if (company === PARTS) continue
      for (const name of readdirSync(join(folder, company))) {
        found.files++
        found.bytes += statSync(join(folder, company, name)).size
      }
    }
  } catch {
    // There are none yet.
  }
  return found
}
