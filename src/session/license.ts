import { useEffect, useState } from 'react'
import type { CompanyStatus, LicenseState, SessionUser } from '@/session/types'

const DAY = 24 * 60 * 60 * 1000

/** From this many days on, and down to one, the console warns that the license ends. */
export const LICENSE_WARNING_DAYS = 30

/** A user without a company needs no license. */
export function isCompanyActive(companyId: string | null, status: CompanyStatus | null): boolean {
  return companyId === null || status === 'Active'
}

/** Whole days until the end, rounded up; 0 once it has come. `now` in milliseconds since the epoch. */
export function daysLeft(end: string, now: number): number {
  return Math.max(0, Math.ceil((Date.parse(end) - now) / DAY))
}

/**
 * The state of the license at `now` (milliseconds since the epoch). The end date is the first instant no longer
 * covered: at that very moment the console is read-only, as the database then is, whether or not the company's
 * status was changed to Expired yet.
 */
export function licenseState(user: SessionUser | null, now: number): LicenseState {
  if (!user) return { kind: 'active' }
  if (user.companyId === null) return { kind: 'exempt' }
  const end = user.licenseEndDate === null ? Number.NaN : Date.parse(user.licenseEndDate)
  const endDate: { endDate?: string } =
    user.licenseEndDate === null || Number.isNaN(end) ? {} : { endDate: user.licenseEndDate }
  if (!user.isCompanyActive || end <= now) return { kind: 'expired', ...endDate }
  if (endDate.endDate === undefined) return { kind: 'active' }
  const left = daysLeft(endDate.endDate, now)
  if (left <= LICENSE_WARNING_DAYS) return { kind: 'expiring', daysLeft: left, ...endDate }
  return { kind: 'active', ...endDate }
}

/** Milliseconds until the state above reads differently; undefined where time changes nothing. */
export function untilLicenseChanges(state: LicenseState, now: number): number | undefined {
  if (state.endDate === undefined || state.kind === 'expired' || state.kind === 'exempt') return undefined
  const left = Date.parse(state.endDate) - now
  if (state.kind === 'active') return left - LICENSE_WARNING_DAYS * DAY
  return left - ((state.daysLeft ?? 1) - 1) * DAY
}

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
