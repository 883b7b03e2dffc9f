import { useNotification } from '@refinedev/core'
import { useEffect, useRef, useState } from 'react'
import { doneCount } from '@/resource/bulk/bulk-run'
import type { Bulk } from '@/resource/bulk/use-bulk'

/** What takes longer shows how far it is. */
const QUIET_MS = 500

interface QuietStart {
  doneText: string
  start: () => void
  onClean: () => void
}

/**
 * A job without questions starts at once. If every row succeeds it ends with a toast; the dialog opens only
 * if the job takes long or has something to report. Returns whether the dialog stays closed.
 */
export function useQuietStart(
  isQuiet: boolean,
  bulk: Bulk,
  { doneText, start, onClean }: QuietStart,
): boolean {
  const { open } = useNotification()
  const hasBegun = useRef(false)
  const [isLate, setLate] = useState(false)
  const { phase, report } = bulk
  const isClean =
    phase === 'done' && report.counts.changed === report.total && doneCount(report) === report.total
  useEffect(() => {
    if (!isQuiet || hasBegun.current) return
    hasBegun.current = true
    start()
  })
  useEffect(() => {
    if (!isQuiet) return
    const timer = window.setTimeout(() => setLate(true), QUIET_MS)
    return () => window.clearTimeout(timer)
  }, [isQuiet])
  const isOver = isQuiet && isClean && !isLate
  const latest = useRef({ onClean, open, message: doneText })
  useEffect(() => {
    latest.current = { onClean, open, message: doneText }
  })
  useEffect(() => {
    if (!isOver) return
    latest.current.open?.({ type: 'success', message: latest.current.message })
    latest.current.onClean()
  }, [isOver])
  return isQuiet && !isLate && (phase !== 'done' || isClean)
}
