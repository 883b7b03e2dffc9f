import { accounts, type Fleet, ID, PASSWORD } from './fleet'
import type { Place } from './place'
import { LOUD, type Step, steps } from './rows'
import { listSteps } from './rows-desk'

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

const triggers = (place: Place, table: string, state: 'enable' | 'disable') =>
  place.query(`alter table public.${table} ${state} trigger user`)

/** The size of one statement: a larger one could exceed the server's statement limit on a busy machine. */
const CHUNK = { numbers: 20_000, companies: 20 }
const NUMBERS = /generate_series\((1), (\d+)\)/
const COMPANIES = /generate_series\((0), (\d+)\) as c\b/

/** The statement for each range of the numbers, or of the companies, that it makes rows of. */
function inChunks(sql: string): string[] {
  const [pattern, size] = NUMBERS.test(sql) ? [NUMBERS, CHUNK.numbers] : [COMPANIES, CHUNK.companies]
  const found = pattern.exec(sql)
  if (!found) return [sql]
  const [text, from, to] = [found[0], Number(found[1]), Number(found[2])]
  return Array.from({ length: Math.ceil((to - from + 1) / size) }, (_, chunk) => {
    const first = from + chunk * size
    const range = `generate_series(${first}, ${Math.min(to, first + size - 1)})`
    return sql.replace(text, text.replace(/generate_series\(.*?\)/, range))
  })
}

/** The table's own triggers (audit, live messages, look-ups) stay out of what no user does. */
async function loadStep(place: Place, { table, sql }: Step, log: (line: string) => void): Promise<void> {
  const started = performance.now()
  const isQuiet = !LOUD.includes(table) && table !== 'device_secrets'
  if (isQuiet) await triggers(place, table, 'disable')
  try {
    for (const part of inChunks(sql)) await place.query(part)
  } finally {
    if (isQuiet) await triggers(place, table, 'enable')
  }
  log(`${place.name}: ${table} in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

/** The tables that a check-in reads and writes. */
const DEVICE_TABLES = ['companies', 'groups', 'devices', 'device_presence', 'device_secrets', 'group_devices']

/** Loads the fleet into an empty, migrated database. The same number of devices makes the same rows. */
export async function load(
  place: Place,
  fleet: Fleet,
  log: (line: string) => void,
  onlyDevices = false,
): Promise<void> {
  for (const step of steps(fleet))
    if (!onlyDevices || DEVICE_TABLES.includes(step.table)) await loadStep(place, step, log)
  if (!onlyDevices) {
    await makeAccounts(place, fleet)
    for (const step of listSteps(fleet)) await loadStep(place, step, log)
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
