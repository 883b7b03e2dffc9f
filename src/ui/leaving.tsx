import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type BlockerFunction, useBlocker } from 'react-router'
import { guardReload } from '@/ui/load-chunk'

export type Navigation = Parameters<BlockerFunction>[0]

/** The kinds of work that leaving loses. Each kind is asked about once. */
export type UnsavedWork = 'changes' | 'file' | 'job'

interface Watch {
  loss: UnsavedWork
  /** Called on leaving; without a navigation when the window is closed. */
  isLost: (way?: Navigation) => boolean
}

export interface Leaving {
  watch: (watch: Watch) => () => void
  asked: Watch | undefined
  leave: () => void
  stay: () => void
  /** Whether closing the window now would lose work. */
  hasUnsavedWork: () => boolean
}

export const LeavingContext = createContext<Leaving | null>(null)

export function isOtherPage({ currentLocation, nextLocation }: Navigation): boolean {
  return currentLocation.pathname !== nextLocation.pathname
}

/**
 * The one place that blocks navigation: links, Back and Forward, a closed tab. The router asks only the
 * blocker registered last: a dialog without changes would let the changes under it be lost.
 */
export function LeaveHost({ children }: { children: ReactNode }) {
  const watches = useRef(new Set<Watch>())
  /** The watches whose work would be lost, asked one after the other. */
  const [losers, setLosers] = useState<readonly Watch[]>([])
  const blocker = useBlocker(
    useCallback<BlockerFunction>((way) => {
      const found = [...watches.current].filter(({ isLost }) => isLost(way)).reverse()
      if (found.length > 0) setLosers(found)
      return found.length > 0
    }, []),
  )
  const latest = useRef(blocker)
  useEffect(() => {
    latest.current = blocker
  })

  const watch = useCallback((entry: Watch) => {
    watches.current.add(entry)
    return () => {
      watches.current.delete(entry)
      // The question of an unmounted component can no longer be answered.
      setLosers((before) => before.filter((loser) => loser !== entry))
    }
  }, [])
  const hasUnsavedWork = useCallback(() => [...watches.current].some(({ isLost }) => isLost()), [])
  useEffect(() => {
    const handleUnload = (event: BeforeUnloadEvent) => {
      if (hasUnsavedWork()) event.preventDefault()
    }
    window.addEventListener('beforeunload', handleUnload)
    const release = guardReload(hasUnsavedWork)
    return () => {
      window.removeEventListener('beforeunload', handleUnload)
      release()
    }
  }, [hasUnsavedWork])

  const asked = blocker.state === 'blocked' ? losers[0] : undefined
  const isBlockedWithoutQuestion = blocker.state === 'blocked' && asked === undefined
  useEffect(() => {
    if (isBlockedWithoutQuestion) latest.current.reset?.()
  }, [isBlockedWithoutQuestion])

  const value = useMemo<Leaving>(
    () => ({
      watch,
      asked,
      leave: () => {
        const left = losers.filter(({ loss }) => loss !== asked?.loss)
        if (left.length > 0) setLosers(left)
        else latest.current.proceed?.()
      },
      stay: () => latest.current.reset?.(),
      hasUnsavedWork,
    }),
    [watch, asked, losers, hasUnsavedWork],
  )
  return <LeavingContext value={value}>{children}</LeavingContext>
}

const hasNoWork = () => false

/** Asks whether the page holds work that leaving would lose. */
export function useUnsavedWork(): () => boolean {
  return useContext(LeavingContext)?.hasUnsavedWork ?? hasNoWork
}

/** Reports work that leaving would lose. The reporting component shows the question. */
export function useLeaving(loss: UnsavedWork, isLost: Watch['isLost']) {
  const leaving = useContext(LeavingContext)
  const watch = leaving?.watch
  const latest = useRef(isLost)
  useEffect(() => {
    latest.current = isLost
  })
  const [own] = useState<Watch>(() => ({ loss, isLost: (way) => latest.current(way) }))
  useEffect(() => watch?.(own), [watch, own])
  return {
    isAsked: leaving?.asked === own,
    leave: () => leaving?.leave(),
    stay: () => leaving?.stay(),
  }
}
