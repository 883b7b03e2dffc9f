/// <reference lib="dom.asynciterable" />

import { randomUuid } from '@/data/random-uuid'
import type { CellValue } from '@/resource/fields/file-values'

/** Takes the next bytes of a file; once it has, their memory is the caller's again. */
export type Write = (bytes: Uint8Array<ArrayBuffer>) => Promise<void>

export interface ExportWriter {
  add: (row: readonly CellValue[]) => void
  /** Resolves once the added rows have left the page's memory. */
  flush: () => Promise<void>
  /** After it the file is whole. */
  end: () => Promise<void>
}

export type ExportFormat = 'csv' | 'xlsx'

const TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv;charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}
/** Smaller pieces would each be a blob of their own, larger ones stay in the page's memory. */
const PIECE = 512 * 1024

const two = (number: number) => String(number).padStart(2, '0')

/** `Devices 2026-11-21 1405.csv`: no system refuses it, and two exports of a day do not meet. */
export function fileName(name: string, format: ExportFormat, now: Date): string {
  const safe = name.replace(/[\\/:*?"<>|]/g, ' ').trim()
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-')
  return `${safe} ${day} ${two(now.getHours())}${two(now.getMinutes())}.${format}`
}

/** Gathers a file in blobs, which the browser keeps outside the page and on the disk when they grow. */
export function blobSink(format: ExportFormat): { write: Write; finish: () => Promise<Blob> } {
  const type = TYPES[format]
  const parts: Blob[] = []
  let waiting: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  const flush = () => {
    if (waiting.length > 0) parts.push(new Blob(waiting))
    waiting = []
    size = 0
  }
  return {
    write: async (bytes) => {
      waiting.push(bytes.slice())
      size += bytes.length
      if (size >= PIECE) flush()
    },
    finish: async () => {
      flush()
      return new Blob(parts, { type })
    },
  }
}

const FOLDER = 'exports'
/** A download of a finished file has long begun by then; one that is still written cannot be removed by others. */
const STALE_MS = 10 * 60_000

async function folder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  return root.getDirectoryHandle(FOLDER, { create: true })
}

/** A file of the browser's own on the disk, which nothing of is kept in memory. */
interface DiskFile {
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>
  /** The whole file; what it holds stays on the disk. */
  close: () => Promise<File>
  remove: () => Promise<void>
}

/** Null where the browser keeps no files of its own, or lets nobody write them from the page. */
async function openDiskFile(): Promise<DiskFile | null> {
  try {
    const directory = await folder()
    const name = `${Date.now()}-${randomUuid()}`
    const handle = await directory.getFileHandle(name, { create: true })
    const stream = await handle.createWritable()
    return {
      write: (bytes) => stream.write(bytes),
      close: async () => {
        await stream.close()
        return handle.getFile()
      },
      remove: async () => {
        // Closed already, or never to be whole: either way nothing of it stays.
        await stream.abort().catch(() => undefined)
        await directory.removeEntry(name).catch(() => undefined)
      },
    }
  } catch {
    return null
  }
}

/** Removes files that a closed tab left behind. */
export async function removeStaleFiles(now = Date.now()): Promise<void> {
  try {
    const directory = await folder()
    for await (const name of directory.keys()) {
      const isStale = !(now - Number(name.split('-', 1)[0]) < STALE_MS)
      if (isStale) await directory.removeEntry(name).catch(() => undefined)
    }
  } catch {
    // A browser without such files has none to remove.
  }
}

export interface FileSink {
  write: Write
  finish: () => Promise<Blob>
  /** Nothing of it is needed any more. */
  discard: () => Promise<void>
}

/** Writes a file to the disk as it comes; where the browser cannot, it is gathered in blobs. */
export async function fileSink(format: ExportFormat): Promise<FileSink> {
  const file = await openDiskFile()
  if (!file) return { ...blobSink(format), discard: async () => undefined }
  let failure: unknown = null
  return {
    write: async (bytes) => {
      try {
        // Writing stops after a failed chunk, so that a truncated file is not taken for a complete export.
        if (failure !== null) throw failure
        await file.write(bytes)
      } catch (error) {
        failure = error
        throw error
      }
    },
    finish: async () => {
      if (failure !== null) throw failure
      const whole = await file.close()
      return whole.slice(0, whole.size, TYPES[format])
    },
    discard: file.remove,
  }
}

/** Long enough for the slowest disk to have begun. */
const KEPT_MS = 60_000

export function saveBlob(blob: Blob, name: string, onSaved?: () => void): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  window.setTimeout(() => {
    URL.revokeObjectURL(url)
    onSaved?.()
  }, KEPT_MS)
}
