import { accounts, type Fleet, ID, PASSWORD } from './fleet'
import type { Place } from './place'
import { QUIET, steps } from './rows'

async function makeAccounts(place: Place, fleet: Fleet): Promise<void> {
  for (const { email, role, company } of accounts(fleet)) {
    const [made] = await place.query('select app.create_auth_user($1, $2, $3) as id', [
      email,
      PASSWORD,
      email,
    ])
    await place.query(
      `insert into public.user_roles (user_id, role, company_id)
       values ($1::uuid, $2, case when $3::text is not null then ${ID('company', '$3::text')} end)`,
      [made?.id, role, company === null ? null : String(company)],
    )
  }
}

/** Loads the fleet into an empty, migrated database. The same number of devices makes the same rows. */
export async function load(place: Place, fleet: Fleet, log: (line: string) => void): Promise<void> {
  for (const table of QUIET) await place.query(`alter table public.${table} disable trigger user`)
  try {
    for (const { table, sql } of steps(fleet)) {
      const started = performance.now()
      await place.query(sql)
      log(`${place.name}: ${table} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
    }
    await makeAccounts(place, fleet)
  } finally {
    for (const table of QUIET) await place.query(`alter table public.${table} enable trigger user`)
  }
  await place.query('vacuum (analyze)')
  await place.query('checkpoint')
}

/** How many devices a database holds; undefined when it was never loaded. */
export async function loadedDevices(place: Place): Promise<number | undefined> {
  const [row] = await place.query('select count(*)::int as n from public.devices')
  const n = Number(row?.n ?? 0)
  return n > 0 ? n : undefined
}
