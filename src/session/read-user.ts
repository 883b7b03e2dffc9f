import type { User } from '@supabase/supabase-js'
import { supabase } from '@/data/client'
import { GoneError, toDataError } from '@/data/errors'
import { isCompanyActive } from '@/session/license'
import type { CompanyStatus, SessionUser } from '@/session/types'

/** The account may sign in, but nobody gave it a role: there is no user record to produce. */
export class MissingRoleError extends Error {
  constructor() {
    super('This account has no role.')
    this.name = 'MissingRoleError'
  }
}

interface RoleRow {
  role: string
  company_id: string | null
  mfa_enabled: boolean
}
interface ProfileRow {
  name: string | null
  email: string | null
}
interface CompanyRow {
  name: string | null
  status: CompanyStatus
  license_end_date: string | null
  license_type: string | null
}

/** Returns the row, or null. Every other failure is thrown as its class. */
async function single<Row>(
  request: PromiseLike<{ data: unknown; error: unknown; status: number }>,
): Promise<Row | null> {
  const { data, error, status } = await request
  if (!error) return data as Row
  const known = toDataError(error, status)
  if (known instanceof GoneError) return null
  throw known
}

/**
 * Throws MissingRoleError, or a DataError when a read fails. It does not retry: the session does, and shows
 * it.
 */
export async function readUser(account: User): Promise<SessionUser> {
  const [role, profile] = await Promise.all([
    single<RoleRow>(
      supabase
        .from('user_roles')
        .select('role, company_id, mfa_enabled')
        .eq('user_id', account.id)
        .single()
        .retry(false),
    ),
    single<ProfileRow>(supabase.from('profiles').select('name, email').eq('id', account.id).single()),
  ])
  if (!role) throw new MissingRoleError()
  const company = role.company_id
    ? await single<CompanyRow>(
        supabase.from('companies').select('*').eq('id', role.company_id).single().retry(false),
      )
    : null
  const email = profile?.email || account.email || ''
  return {
    id: account.id,
    email,
    name: profile?.name || email,
    role: role.role,
    companyId: role.company_id,
    companyName: company?.name ?? null,
    mfaEnabled: role.mfa_enabled,
    companyStatus: company?.status ?? null,
    licenseType: company?.license_type ?? null,
    licenseEndDate: company?.license_end_date ?? null,
    isCompanyActive: isCompanyActive(role.company_id, company?.status ?? null),
  }
}
