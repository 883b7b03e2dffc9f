import { createReadStream, mkdirSync, rmSync } from 'node:fs'
import { mkdir, open, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { type ByteRange, diskError, type FileStore } from './file-store'

const PATH = /^[0-9a-f-]{36}\/[0-9a-f-]{36}(?:\.webp)?$/

/** Files in a folder of `DATA_DIR`, below the id of their company. */
export class DiskStore implements FileStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  #place(path: string): string {
    if (!PATH.test(path)) throw new Error('A file has the ids of its company and its row as path.')
    return join(this.#folder, path)
  }

  async put(path: string, from: string): Promise<void> {
    const place = this.#place(path)
    try {
      const file = await open(from, 'r+')
      try {
        await file.sync()
      } finally {
        await file.close()
      }
      await mkdir(dirname(place), { recursive: true, mode: 0o700 })
      await rename(from, place)
    } catch (error) {
      throw diskError(error)
    }
  }

  async read(path: string, range?: ByteRange): Promise<Readable | null> {
    const place = this.#place(path)
    try {
      await stat(place)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw diskError(error)
    }
    return createReadStream(place, range)
  }

  async remove(path: string): Promise<void> {
    const place = this.#place(path)
    try {
      await rm(place, { force: true })
      // The folder of a company whose last file went; one with files stays.
      await rmdir(dirname(place)).catch(() => undefined)
    } catch (error) {
      throw diskError(error)
    }
  }

  clear(): void {
    rmSync(this.#folder, { recursive: true, force: true })
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
  }
}
