export type CompanyStatus = 'Active' | 'Expired' | 'Suspended'

/** The signed-in user as the console sees it: user_roles, profiles and companies in one record. */
export interface SessionUser {
  id: string
  email: string
  name: string
  /** A role of `policies/`. */
  role: string
  /** null for who belongs to no company and sees them all. */
  companyId: string | null
  companyName: string | null
  mfaEnabled: boolean
  companyStatus: CompanyStatus | null
  licenseType: string | null
  /** The first instant no longer covered, ISO 8601; null never ends. */
  licenseEndDate: string | null
  /** Status is Active, or the user belongs to no company. */
  isCompanyActive: boolean
}

export interface LicenseState {
  kind: 'active' | 'expiring' | 'expired' | 'exempt'
  /** Whole days left, rounded up; with `expiring` only. */
  daysLeft?: number
  /** ISO 8601; absent where the license has no end. */
  endDate?: string
}

export type SessionStatus = 'loading' | 'unauthenticated' | 'authenticated'

/** `message` is shown unchanged. Without one, the page uses its own text for a failed sign-in. */
export type SignInResult =
  | { ok: true }
  | { ok: false; kind: 'rejected' | 'exception' | 'no-role'; code?: string; message?: string }
