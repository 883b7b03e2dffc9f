import { DataError } from '@/data/errors'

/** `stale`: somebody changed the row since the edit that is being undone. */
export type Outcome = 'changed' | 'same' | 'stale' | 'gone' | 'refused'

export interface RowOutcome {
  id: string
  outcome: Outcome
  /** Why it was refused. */
  error?: DataError
}

export interface BulkReport {
  total: number
  counts: Record<Outcome, number>
  /** The rows that were written: what an undo is about. */
  changed: readonly string[]
  /** The first rows that were not processed, for the list in the summary. */
  listed: RowOutcome[]
  /** Not processed, because the job was canceled or stopped. Continuing starts here. */
  left: readonly string[]
  /** The error that stopped the run. */
  error: DataError | null
}

/** Nobody reads more; the figures count all. */
export const MAX_LISTED = 100
/** The database takes no more ids in one call. */
const MAX_BATCH = 1000
const MIN_BATCH = 25
export const FIRST_SIZE = 200
/** Large enough that round trips do not dominate, small enough that Cancel takes effect soon. */
const WANTED_MS = 800

/** Sizes the next batch by the duration of the last one, without jumps. */
export function nextSize(size: number, tookMs: number): number {
  const fitting = Math.round((size * WANTED_MS) / Math.max(tookMs, 1))
  return Math.min(MAX_BATCH, Math.max(MIN_BATCH, Math.min(size * 2, Math.max(Math.ceil(size / 4), fitting))))
}

export function emptyReport(total: number): BulkReport {
  const counts = { changed: 0, same: 0, stale: 0, gone: 0, refused: 0 }
  return { total, counts, changed: [], listed: [], left: [], error: null }
}

export function doneCount({ counts }: BulkReport): number {
  return counts.changed + counts.same + counts.stale + counts.gone + counts.refused
}

function add(report: BulkReport, rows: readonly RowOutcome[]): BulkReport {
  const counts = { ...report.counts }
  for (const { outcome } of rows) counts[outcome] += 1
  const undone = rows.filter(({ outcome }) => outcome !== 'changed' && outcome !== 'same')
  const changed = rows.flatMap(({ id, outcome }) => (outcome === 'changed' ? [id] : []))
  return {
    ...report,
    counts,
    changed: [...report.changed, ...changed],
    listed: [...report.listed, ...undone].slice(0, MAX_LISTED),
  }
}

interface BulkRun {
  ids: readonly string[]
  /** Writes one batch and reports the result of each row. */
  write: (ids: readonly string[]) => Promise<RowOutcome[]>
  /** The results before it was canceled, when it continues. */
  before?: BulkReport
  isCanceled: () => boolean
  onProgress: (report: BulkReport) => void
  now?: () => number
}

/**
 * Batches run one after the other. A run ends early between two batches when it is canceled, and at a batch that
 * fails as a whole; a batch whose answer was lost may be tried again, since writing the same twice is the same.
 */
export async function runBatches(run: BulkRun): Promise<BulkReport> {
  const { ids, write, now = () => performance.now() } = run
  let report: BulkReport = { ...(run.before ?? emptyReport(ids.length)), left: ids, error: null }
  let size = FIRST_SIZE
  let at = 0
  while (at < ids.length && !run.isCanceled()) {
    const batch = ids.slice(at, at + size)
    const start = now()
    try {
      report = add(report, await write(batch))
    } catch (error) {
      return { ...report, left: ids.slice(at), error: asDataError(error) }
    }
    at += batch.length
    size = nextSize(size, now() - start)
    report = { ...report, left: ids.slice(at) }
    run.onProgress(report)
  }
  return report
}

function asDataError(error: unknown): DataError {
  return error instanceof DataError ? error : new DataError(String(error))
}
