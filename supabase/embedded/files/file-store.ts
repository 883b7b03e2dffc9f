import type { Readable } from 'node:stream'

/** Bytes from `start` to `end`, both included. */
export interface ByteRange {
  start: number
  end: number
}

/** Where the bytes of files are. A path is `<company>/<file>`, never a text of a user. */
export interface FileStore {
  /** Takes a finished file of this machine's disk; the store removes or moves it. */
  put: (path: string, from: string, size: number) => Promise<void>
  /** Null when there is no such object. */
  read: (path: string, range?: ByteRange) => Promise<Readable | null>
  remove: (path: string) => Promise<void>
  /** For a database that was made anew. */
  clear: () => void
}

/** The storage answers nothing, or refuses: an upload is tried again later, and no row is written. */
export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable'
}

/** The storage has no room. */
export class StorageFull extends Error {
  override name = 'StorageFull'
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])

/** Errors of a disk as `StorageFull` or `StorageUnavailable`. */
export function diskError(error: unknown): Error {
  if (error instanceof StorageFull || error instanceof StorageUnavailable) return error
  const { code = '', message } = error as NodeJS.ErrnoException
  if (FULL.has(code)) return new StorageFull(message)
  return code.startsWith('E') ? new StorageUnavailable(message) : (error as Error)
}
