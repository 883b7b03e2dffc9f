import { useCallback, useEffect, useRef, useState } from 'react'
import type { PermissionMap } from '@/access/permission-map'
import { msUntilChange, type Policy, readPolicy } from '@/access/policy'
import { setAllRoles } from '@/access/roles'
import { callRpc } from '@/data/rpc'
import { retryDelay } from '@/session/session-state'
import type { SessionUser } from '@/session/types'

/** Browsers fire longer timers at once, so the policy is reloaded after a day at the latest. */
const LONGEST_WAIT = 24 * 60 * 60 * 1000
/** Slightly after the instant, when the server already answers with the new roles. */
const MARGIN = 500

interface Loaded {
  policy: Policy
  permissions: PermissionMap
}

/** Casbin comes while the database answers. */
async function load(): Promise<Loaded> {
  const [{ resolvePolicy }, answer] = await Promise.all([
    import('@/access/resolve-policy'),
    callRpc('my_policy'),
  ])
  const policy = readPolicy(answer)
  return { policy, permissions: await resolvePolicy(policy) }
}

/** All that the policy depends on; when any of it changes, it is read again. */
function fingerprintOf(user: SessionUser): string {
  return [user.role, user.companyId, user.companyStatus, user.licenseType, user.licenseEndDate].join('|')
}

interface PermissionState {
  /** The last known map of the same account, so that a failed reload removes nothing. */
  permissions: PermissionMap | null
  isFailed: boolean
  retry: () => void
}

/** `onChange` is called when the response no longer matches the signed-in user's record. */
export function usePermissionMap(user: SessionUser | null, onChange: () => void): PermissionState {
  const [loaded, setLoaded] = useState<{ account: string; permissions: PermissionMap } | null>(null)
  const [isFailed, setIsFailed] = useState(false)
  const [turn, setTurn] = useState(0)
  const attempt = useRef(0)
  const change = useRef(onChange)
  useEffect(() => {
    change.current = onChange
  }, [onChange])

  const retry = useCallback(() => setTurn((count) => count + 1), [])
  const account = user?.id ?? null
  const fingerprint = user ? fingerprintOf(user) : ''

  // biome-ignore lint/correctness/useExhaustiveDependencies: fingerprint and turn are what asks for a new load
  useEffect(() => {
    if (account === null) return
    let isStale = false
    let timer: number | undefined
    load().then(
      ({ policy, permissions }) => {
        if (isStale) return
        attempt.current = 0
        setAllRoles(policy.allRoles)
        setLoaded({ account, permissions })
        setIsFailed(false)
        // A signed-in user without a role: the session was ended elsewhere, and the page is left.
        if (policy.role === null) change.current()
        const wait = msUntilChange(policy)
        if (wait === null) return
        const handleChange = () => {
          change.current()
          retry()
        }
        timer = window.setTimeout(handleChange, Math.min(wait + MARGIN, LONGEST_WAIT))
      },
      (error: unknown) => {
        if (isStale) return
        console.warn('The permissions could not be read; trying again.', error)
        setIsFailed(true)
        timer = window.setTimeout(retry, retryDelay(attempt.current))
        attempt.current += 1
      },
    )
    return () => {
      isStale = true
      window.clearTimeout(timer)
    }
  }, [account, fingerprint, turn, retry])

  return { permissions: loaded?.account === account ? loaded.permissions : null, isFailed, retry }
}
