import type { Emit } from '@/resource/export/cell-value'

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

/** Long enough for the slowest disk to have begun. */
const KEPT_MS = 60_000

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  window.setTimeout(() => URL.revokeObjectURL(url), KEPT_MS)
}
