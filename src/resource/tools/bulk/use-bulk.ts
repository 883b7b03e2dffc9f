import { useEffect, useRef, useState } from 'react'
import { toDataError } from '@/data/errors'
import type { Definition } from '@/resource/language/definition.generated'
import { useRefresh } from '@/resource/request/query/use-write'
import {
  type BulkReport,
  emptyReport,
  MAX_LISTED,
  type RowOutcome,
  runBatches,
} from '@/resource/tools/bulk/bulk-run'

type Phase = 'asking' | 'running' | 'done'

type Write = (ids: readonly string[]) => Promise<RowOutcome[]>

export interface Bulk {
  phase: Phase
  report: BulkReport
  /** Asked to stop; the batch under way is finished first. */
  isStopping: boolean
  start: (write: Write) => void
  /** Undoes the change with a second job over those rows. From then on, the summary describes that job. */
  undo: (write: Write) => void
  isUndo: boolean
  /** With the rows that are left, after a stop. */
  goOn: () => void
  cancel: () => void
}

/** The state of one bulk job over these rows. The table's lists are refetched when it ends. */
export function useBulk(definition: Definition, ids: readonly string[]): Bulk {
  const invalidate = useRefresh(definition)
  const [phase, setPhase] = useState<Phase>('asking')
  const [report, setReport] = useState<BulkReport>(() => emptyReport(ids.length))
  const [isStopping, setStopping] = useState(false)
  const [isUndo, setUndo] = useState(false)
  const isCanceled = useRef(false)
  const job = useRef<Write | null>(null)
  // When the user leaves in spite of the warning, the current batch finishes and no other starts.
  useEffect(() => {
    isCanceled.current = false
    return () => {
      isCanceled.current = true
    }
  }, [])

  const run = async (rows: readonly string[], before?: BulkReport) => {
    if (!job.current) return
    isCanceled.current = false
    setStopping(false)
    setPhase('running')
    const ended = await runBatches({
      ids: rows,
      write: job.current,
      before: before ?? emptyReport(rows.length),
      isCanceled: () => isCanceled.current,
      onProgress: setReport,
    }).catch((error: unknown) => ({ ...emptyReport(rows.length), left: rows, error: toDataError(error) }))
    setReport(ended)
    setPhase('done')
    await invalidate()
  }
  return {
    phase,
    report,
    isStopping,
    start: (write) => {
      job.current = write
      void run(ids)
    },
    undo: (write) => {
      job.current = write
      setUndo(true)
      setReport(emptyReport(report.changed.length))
      void run(report.changed)
    },
    isUndo,
    goOn: () => void run(report.left, report),
    cancel: () => {
      isCanceled.current = true
      setStopping(true)
    },
  }
}

/** Whether the summary omits some of the rows that were not processed. */
export function hasMoreThanListed({ counts }: BulkReport): boolean {
  return counts.stale + counts.gone + counts.refused > MAX_LISTED
}
