import type { Emit } from '@/resource/export/cell-value'
import { openDiskFile } from '@/resource/export/disk-store'

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
export function blobSink(format: ExportFormat): { emit: Emit; finish: () => Blob } {
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
    emit: (bytes) => {
      waiting.push(bytes)
      size += bytes.length
      if (size >= PIECE) flush()
    },
    finish: () => {
      flush()
      return new Blob(parts, { type })
    },
  }
}

export interface FileSink {
  emit: Emit
  /** Resolves once what was emitted has left the page's memory. */
  flush: () => Promise<void>
  finish: () => Promise<Blob>
  /** Nothing of it is needed any more. */
  discard: () => Promise<void>
}

/** Writes a file to the disk as it comes; where the browser cannot, it is gathered in blobs. */
export async function fileSink(format: ExportFormat): Promise<FileSink> {
  const file = await openDiskFile()
  if (!file) {
    const { emit, finish } = blobSink(format)
    return {
      emit,
      flush: async () => undefined,
      finish: async () => finish(),
      discard: async () => undefined,
    }
  }
  let waiting: Uint8Array<ArrayBuffer>[] = []
  let failure: unknown = null
  const flush = async () => {
    const parts = waiting
    waiting = []
    try {
      // Of a file that a full disk left with a hole, nothing more is written: it would pass for whole.
      if (failure !== null) throw failure
      for (const part of parts) await file.write(part)
    } catch (error) {
      failure = error
      throw error
    }
  }
  return {
    emit: (bytes) => void waiting.push(bytes),
    flush,
    finish: async () => {
      await flush()
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
