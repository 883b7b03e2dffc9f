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
