/// <reference lib="dom.asynciterable" />

import { randomUuid } from '@/data/random-uuid'

const FOLDER = 'exports'
/** A download of a finished file has long begun by then; one that is still written cannot be removed by others. */
const STALE_MS = 10 * 60_000

async function folder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  return root.getDirectoryHandle(FOLDER, { create: true })
}

/** A file of the browser's own on the disk, which nothing of is kept in memory. */
export interface DiskFile {
  write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>
  /** The whole file; what it holds stays on the disk. */
  close: () => Promise<File>
  remove: () => Promise<void>
}

/** Null where the browser keeps no files of its own, or lets nobody write them from the page. */
export async function openDiskFile(): Promise<DiskFile | null> {
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
