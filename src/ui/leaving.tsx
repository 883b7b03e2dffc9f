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

export type WayOut = Parameters<BlockerFunction>[0]

/** What a way out loses: things of one kind are asked about once. */
type Loss = 'changes' | 'file' | 'job'

interface Watch {
  loss: Loss
  /** Asked at the moment of leaving; without a way, when the window itself is closed. */
  isLost: (way?: WayOut) => boolean
}

interface Leaving {
  watch: (watch: Watch) => () => void
  asked: Watch | undefined
  leave: () => void
  stay: () => void
}

const LeavingContext = createContext<Leaving | null>(null)

export function isOtherPage({ currentLocation, nextLocation }: WayOut): boolean {
  return currentLocation.pathname !== nextLocation.pathname
}

/**
 * The one place that holds up a way out: links, Back and Forward, a closed tab. The router asks no more than one
 * blocker, the last that came: a dialog with nothing to lose would let go of the changes under it.
 */
export function LeaveHost({ children }: { children: ReactNode }) {
  const watches = useRef(new Set<Watch>())
  /** Whose work the way out would lose; asked one after the other. */
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
      // Its question goes with it, and with that the way to answer.
      setLosers((before) => before.filter((loser) => loser !== entry))
    }
  }, [])
  useEffect(() => {
    const handleUnload = (event: BeforeUnloadEvent) => {
      if ([...watches.current].some(({ isLost }) => isLost())) event.preventDefault()
    }
    window.addEventListener('beforeunload', handleUnload)
    return () => window.removeEventListener('beforeunload', handleUnload)
  }, [])

  const asked = blocker.state === 'blocked' ? losers[0] : undefined
  const isStranded = blocker.state === 'blocked' && asked === undefined
  useEffect(() => {
    if (isStranded) latest.current.reset?.()
  }, [isStranded])

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
    }),
    [watch, asked, losers],
  )
  return <LeavingContext value={value}>{children}</LeavingContext>
}

/** Reports work that leaving would lose. The reporting component shows the question. */
export function useLeaving(loss: Loss, isLost: Watch['isLost']) {
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
