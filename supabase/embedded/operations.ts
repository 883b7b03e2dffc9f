import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Catalog, readCatalog } from './catalog'
import type { Query } from './database/database'
import { isDatabaseError } from './database/errors.mjs'
import type { Backend } from './http/context'
import { applyMigrations } from './migrations'
import { StartError } from './start-error'

/** The accounts of the demo data, with the password the seed gives them. */
export const DEMO_PASSWORD = 'Demo-Console-2026'

export interface DemoAccount {
  email: string
  role: string | null
  company: string | null
}

export async function demoAccounts(query: Query): Promise<DemoAccount[]> {
  return query<DemoAccount & Record<string, unknown>>(
    `select u.email, r.role, c.name as company
     from auth.users u
     left join public.user_roles r on r.user_id = u.id
     left join public.companies c on c.id = r.company_id
     where u.email like '%.test'
     order by r.company_id is not null, c.name, u.created_at, u.email`,
  )
}

/** Lists the demo accounts that still have the password published in our documentation. */
export async function openDemoAccounts(query: Query): Promise<string[]> {
  // A database of one's own may have it elsewhere than ours does.
  const [pgcrypto] = await query<{ schema: string }>(
    `select quote_ident(n.nspname) as schema
     from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'pgcrypto'`,
  )
  if (!pgcrypto) return []
  const rows = await query<{ email: string }>(
    `select email from auth.users
     where email like '%.test' and deleted_at is null
       and encrypted_password = ${pgcrypto.schema}.crypt($1, encrypted_password)
     order by email`,
    [DEMO_PASSWORD],
  )
  return rows.map((row) => row.email)
}

/** Eighteen characters nobody has to guess at when reading them aloud. */
function readablePassword(): string {
  const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
  const drawn = [...randomBytes(64)]
    .filter((byte) => byte < letters.length * 4)
    .map((byte) => letters[byte % letters.length])
  return [drawn.slice(0, 6), drawn.slice(6, 12), drawn.slice(12, 18)].map((part) => part.join('')).join('-')
}

/**
 * Creates the first Super Admin.
 * @returns the generated password; nobody can read it later.
 * @throws StartError when there is a Super Admin already, or the address is invalid.
 */
export async function createAdmin(query: Query, email: string): Promise<string> {
  const password = readablePassword()
  try {
    await query(`select app.create_first_super_admin($1, $2)`, [email, password])
  } catch (error) {
    if (!isDatabaseError(error)) throw error
    throw new StartError(`${email} could not be made Super Admin: ${error.message}.`)
  }
  return password
}

/** Applies the migrations written since the server started, and lets the API know the new tables. */
export async function migrate(backend: Backend, root: string): Promise<string[]> {
  const { database } = backend.core
  const { applied } = await applyMigrations(database, join(root, 'supabase/migrations'), backend.log, {
    together: true,
  })
  await database.exclusive(() => database.api.reload())
  return applied
}

/** The current database, for comparing definitions with it. */
export async function catalog(backend: Backend): Promise<Catalog> {
  return readCatalog(backend.core.database.query)
}

/** The columns that definitions can name, by table and view. */
export async function storedColumns(query: Query): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rows = await query<{ table: string; columns: string[] }>(
    `select c.relname as "table", array_agg(a.attname::text) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
     group by c.relname`,
  )
  return new Map(rows.map(({ table, columns }) => [table, new Set(columns)]))
}

/** How many accounts have each role, those included that may not sign in. */
export async function roleHolders(query: Query): Promise<{ role: string; count: number }[]> {
  return query<{ role: string; count: number }>(
    'select role, count(*)::integer as count from public.user_roles group by role order by role',
  )
}

/** The rows of a table of schema public; 0 where the database lacks it. */
export async function countRows(query: Query, table: string): Promise<number> {
  const [found] = await query<{ name: string | null }>(
    `select to_regclass(format('public.%I', $1::text))::text as name`,
    [table],
  )
  if (!found?.name) return 0
  const [row] = await query<{ rows: number }>(
    `select count(*)::integer as rows from public."${table.replaceAll('"', '""')}"`,
  )
  return row?.rows ?? 0
}

/** The rows of each question; null for one that this database cannot be asked, such as of a table it lacks. */
export async function askRows(
  query: Query,
  questions: readonly string[],
): Promise<(Record<string, unknown>[] | null)[]> {
  const answers: (Record<string, unknown>[] | null)[] = []
  for (const question of questions)
    answers.push(
      await query(question).catch((error: unknown) => {
        if (isDatabaseError(error)) return null
        throw error
      }),
    )
  return answers
}
