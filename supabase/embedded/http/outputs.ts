import type { Embed } from './embeds'
import { readSelection } from './embeds'

/** An output has up to a million characters; so many may be in one answer. The console reads one at a time. */
const MAX_OUTPUTS = 20
const MAX_ROWS = 1000
const OUTPUT = 'output'
/** The table of runs, or what leads to it: a constraint or a column. */
const LEADS_TO_RUNS = /^job_runs|(^|_)run_id$/

/** How many rows are read at most, as far as the query says. */
function rowsOf(query: URLSearchParams, prefix: string): number {
  const limit = Number(query.get(`${prefix}limit`) ?? MAX_ROWS)
  const ids = query.get(`${prefix}id`) ?? ''
  const named = ids.startsWith('eq.') ? 1 : ids.startsWith('in.') ? ids.split(',').length : MAX_ROWS
  return Math.min(limit >= 0 ? limit : MAX_ROWS, named, MAX_ROWS)
}

const namedIn = (columns: ReadonlyMap<string, number>, name: string): number =>
  (columns.get(OUTPUT) ?? 0) + (LEADS_TO_RUNS.test(name) ? (columns.get('*') ?? 0) : 0)

function outputsIn(embeds: readonly Embed[], rows: number, query: URLSearchParams, prefix: string): number {
  return embeds.reduce((total, { name, alias, columns, embeds: inner }) => {
    const own = `${prefix}${alias}.`
    const all = rows * rowsOf(query, own)
    return total + namedIn(columns, name) * all + outputsIn(inner, all, query, own)
  }, 0)
}

/** Whether an answer could hold more outputs of runs than fit into memory: `job_runs?limit=1000` is a gigabyte. */
export function hasManyOutputs(query: URLSearchParams, table: string): boolean {
  const select = query.get('select') ?? '*'
  const { columns, embeds } = readSelection(select)
  const rows = rowsOf(query, '')
  return namedIn(columns, table) * rows + outputsIn(embeds, rows, query, '') > MAX_OUTPUTS
}
