import { hashSync } from 'bcryptjs'
import type { TestBackend } from './backend'

export interface License {
  status?: 'Active' | 'Expired' | 'Suspended'
  licenseType?: 'Basic' | 'Pro'
  /** An interval from now, `-1 second` for instance; null never ends. */
  endsIn?: string | null
}

/** A company of the test's own; gives its id. */
export async function createCompany(
  { sql }: Pick<TestBackend, 'sql'>,
  { status = 'Active', licenseType = 'Pro', endsIn = null }: License = {},
): Promise<string> {
  const [row] = await sql<{ id: string }>(
    `insert into public.companies (name, status, license_type, license_end_date)
     values ('Test ' || gen_random_uuid(), $1, $2, now() + $3::text::interval) returning id`,
    [status, licenseType, endsIn],
  )
  if (!row) throw new Error('no company was made')
  return row.id
}

export interface Account {
  id: string
  email: string
}

/** With bcrypt's lowest cost: the server's own takes a tenth of a second of a core at every sign-in. */
export const hashCheaply = (password: string): string => hashSync(password, 4)

/** An account with the password given, by default the demo one; without a role when `role` is null. */
export async function createAccount(
  { sql }: Pick<TestBackend, 'sql'>,
  role: string | null,
  companyId: string | null,
  password = 'Demo-Console-2026',
): Promise<Account> {
  const [row] = await sql<Account>(
    `select id, email from (select gen_random_uuid() || '@example.test' as email) as chosen,
       lateral app.create_auth_user(chosen.email, null, null, $1) as id`,
    [hashCheaply(password)],
  )
  if (!row) throw new Error('no account was made')
  if (role !== null)
    await sql('insert into public.user_roles (user_id, role, company_id) values ($1, $2, $3)', [
      row.id,
      role,
      companyId,
    ])
  return row
}
