import { useEffect, useState } from 'react'
import { licenseState, untilLicenseChanges } from '@/session/license'
import type { LicenseState, SessionUser } from '@/session/types'

/** Browsers cut longer timers to nothing, and a sleeping laptop stretches them. */
const LONGEST_WAIT = 60 * 60 * 1000

/** The license now, and again at the moment it changes: nobody has to reload to be told it has ended. */
export function useLicense(user: SessionUser | null): LicenseState {
  const [now, setNow] = useState(() => Date.now())
  const state = licenseState(user, Math.max(now, 0))

  useEffect(() => {
    const wait = untilLicenseChanges(licenseState(user, Date.now()), Date.now())
    setNow(Date.now())
    if (wait === undefined) return
    const delay = Math.min(Math.max(wait, 0) + 50, LONGEST_WAIT)
    let timer = window.setTimeout(function tick() {
      setNow(Date.now())
      const next = untilLicenseChanges(licenseState(user, Date.now()), Date.now())
      if (next !== undefined) timer = window.setTimeout(tick, Math.min(Math.max(next, 0) + 50, LONGEST_WAIT))
    }, delay)
    return () => window.clearTimeout(timer)
  }, [user])

  return state
}
