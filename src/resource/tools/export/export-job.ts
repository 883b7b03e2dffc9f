import { BusyError, OfflineError, RateLimitError, toDataError } from '@/data/errors'
import { cursorFrom, type RowCursor } from '@/data/keyset'
import type { Row, RowList, RowPage } from '@/data/rows'
import type { CellValue } from '@/resource/fields/file-values'
import type { ExportWriter } from '@/resource/tools/export/export-file'

/** The backend gives 1,000 rows a request at most, and one of them tells whether there are more. */
const PAGE_SIZE = 999
/** How long to wait before each further attempt while the backend cannot be reached: two minutes in all. */
const WAITS_MS = [1000, 2000, 4000, 8000, 15_000, 30_000, 60_000] as const

export interface ExportProgress {
  done: number
  /** Null until it is counted. */
  total: number | null
  /** Whether the backend is away and asked again in a moment. */
  isWaiting: boolean
}

interface JobOptions {
  /** The list's own request; its page and its size are not the file's. */
  page: RowPage
  read: (page: RowPage, signal: AbortSignal) => Promise<RowList>
  /** A row as it is, of what `read` gave for it; until the next page is read. */
  unpack?: (row: Row) => Row
  count: (signal: AbortSignal) => Promise<number>
  toCells: (row: Row) => CellValue[]
  writer: ExportWriter
  onProgress: (progress: ExportProgress) => void
  /** Resolves when it is worth asking again. */
  wait?: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** Until the time has passed, the network is back, or nobody waits any more. */
function waitForNetwork(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      window.clearTimeout(timer)
      window.removeEventListener('online', finish)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = window.setTimeout(finish, milliseconds)
    window.addEventListener('online', finish)
    signal.addEventListener('abort', finish)
  })
}

function isPassing(error: unknown): boolean {
  return error instanceof OfflineError || error instanceof BusyError || error instanceof RateLimitError
}

/**
 * Reads the rows behind one another and hands each page to the writer; no page is kept. A run that failed is
 * run again and goes on behind the last row it wrote.
 */
export function exportJob(options: JobOptions) {
  const { read, unpack = (row) => row, toCells, writer, onProgress, wait = waitForNetwork } = options
  let cursor: RowCursor | null = null
  let place = 1
  let isRead = false
  const progress: ExportProgress = { done: 0, total: null, isWaiting: false }
  const tell = (change: Partial<ExportProgress>) => onProgress({ ...Object.assign(progress, change) })

  const readPatiently = async (page: RowPage, signal: AbortSignal): Promise<RowList> => {
    for (const milliseconds of [...WAITS_MS, null]) {
      try {
        const list = await read(page, signal)
        if (progress.isWaiting) tell({ isWaiting: false })
        return list
      } catch (error) {
        signal.throwIfAborted()
        const known = toDataError(error)
        if (milliseconds === null || !isPassing(known)) {
          tell({ isWaiting: false })
          throw known
        }
        tell({ isWaiting: true })
        await wait(milliseconds, signal)
        signal.throwIfAborted()
      }
    }
    throw new OfflineError('No answer')
  }

  /** How many there are is only shown: without it the rows still come. */
  const countOnce = async (signal: AbortSignal) => {
    try {
      const total = await options.count(signal)
      if (!signal.aborted) tell({ total })
    } catch {
      // The rows tell what is wrong, if anything is.
    }
  }

  /** Resolves with the number of rows written, once the file is whole. */
  return async function run(signal: AbortSignal): Promise<number> {
    if (progress.total === null) void countOnce(signal)
    while (!isRead) {
      const page = { ...options.page, page: place, pageSize: PAGE_SIZE, cursor }
      const list = await readPatiently(page, signal)
      signal.throwIfAborted()
      // Rows are unpacked one by one: the browser must make room for all rows that exist at once.
      for (const row of list.rows) writer.add(toCells(unpack(row)))
      const [first, last] = [list.rows[0], list.rows.at(-1)]
      const ends = first && last ? [unpack(first), unpack(last)] : []
      cursor = cursorFrom(ends, options.page.order, 'after')
      place++
      isRead = !list.hasNext
      tell({ done: progress.done + list.rows.length })
      // No more is read before what was written is out of the way.
      await writer.flush()
    }
    await writer.end()
    return progress.done
  }
}

/** Ids in one request: its address stays below what proxies take. */
const PIECE = 100

/** Selected rows in the order of the list as far as it is in view, then as they were selected. */
export function selectedIds(selected: readonly Row[], visible: readonly Row[]): string[] {
  const chosen = new Set(selected.map(({ id }) => String(id)))
  const inView = visible.map(({ id }) => String(id)).filter((id) => chosen.has(id))
  return [...new Set([...inView, ...chosen])]
}

/** Reads the rows of these ids piece by piece, as an export reads the pages of a list. */
export function readSelected(
  ids: readonly string[],
  pageOf: (ids: readonly string[]) => RowPage,
  read: (page: RowPage, signal: AbortSignal) => Promise<RowList>,
): (page: RowPage, signal: AbortSignal) => Promise<RowList> {
  return async ({ page, pageSize }, signal) => {
    const start = (page - 1) * PIECE
    const list = await read(
      { ...pageOf(ids.slice(start, start + PIECE)), page: 1, pageSize, cursor: null },
      signal,
    )
    return { ...list, hasNext: start + PIECE < ids.length }
  }
}
