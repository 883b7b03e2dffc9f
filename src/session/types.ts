/** The roles of a company's people; a Super Admin belongs to no company. */
export const COMPANY_ROLES = ['Admin', 'Teknik', 'Standard'] as const
export type Role = 'Super Admin' | (typeof COMPANY_ROLES)[number]
export type CompanyStatus = 'Active' | 'Expired' | 'Suspended'

/** The signed-in user as the console sees it: user_roles, profiles and companies in one record. */
export interface SessionUser {
  id: string
  email: string
  name: string
  role: Role
  /** null for a Super Admin, who belongs to no company. */
  companyId: string | null
  companyName: string | null
  mfaEnabled: boolean
  companyStatus: CompanyStatus | null
  licenseType: string | null
  /** The first instant no longer covered, ISO 8601; null never ends. */
  licenseEndDate: string | null
  /** Status is Active, or the user is Super Admin. */
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
