import type { SupabaseClient } from '@supabase/supabase-js'
import { toDataError } from '@/data/errors'

type Row = Record<string, unknown>

/**
 * Between table and column in an embed of a `select`: `item_id_row:items!separate!item_id(id,name)`. No foreign key leads
 * from a view to the record, so it is read by a request of its own and put where an embed would have it.
 */
export const SEPARATE = '!separate!'

interface SeparateRead {
  key: string
  table: string
  column: string
  fields: string[]
  reads: SeparateRead[]
}

interface SplitSelect {
  /** The columns to select, except embeds that are read separately. */
  select: string
  reads: SeparateRead[]
}

/** The limit of ids in one call of `record_titles`. */
const MAX_IDS = 1000

function elementsOf(select: string): string[] {
  const elements: string[] = []
  let [depth, start] = [0, 0]
  for (let at = 0; at <= select.length; at++) {
    if (select[at] === '(') depth++
    else if (select[at] === ')') depth--
    else if (at === select.length || (select[at] === ',' && depth === 0)) {
      elements.push(select.slice(start, at))
      start = at + 1
    }
  }
  return elements
}

function readOf(element: string): SeparateRead | null {
  const [, key, table, column, inner] = /^(\w+):(\w+)!separate!(\w+)\((.*)\)$/.exec(element) ?? []
  if (!key || !table || !column) return null
  const { select, reads } = splitSelect(inner ?? '')
  return { key, table, column, fields: select.split(','), reads }
}

export function splitSelect(select: string): SplitSelect {
  if (!select.includes(SEPARATE)) return { select, reads: [] }
  const elements = elementsOf(select).map((element) => ({ element, read: readOf(element) }))
  return {
    select: elements.flatMap(({ element, read }) => (read ? [] : [element])).join(','),
    reads: elements.flatMap(({ read }) => read ?? []),
  }
}

const idsOf = (rows: readonly Row[], { column }: SeparateRead): string[] =>
  rows.flatMap((row) => (typeof row[column] === 'string' ? [row[column]] : []))

async function readTable(
  client: SupabaseClient,
  table: string,
  wanted: { ids: readonly string[]; fields: readonly string[] },
  signal?: AbortSignal,
): Promise<Map<string, Row>> {
  const found = new Map<string, Row>()
  for (let at = 0; at < wanted.ids.length; at += MAX_IDS) {
    const asked = { [table]: { ids: wanted.ids.slice(at, at + MAX_IDS), fields: wanted.fields } }
    const request = client.rpc('record_titles', { wanted: asked })
    const { data, error, status } = await (signal ? request.abortSignal(signal) : request)
    if (error) throw toDataError(error, status)
    for (const { id, fields } of data as { id: string; fields: Row }[]) found.set(id, { ...fields, id })
  }
  return found
}

/** The rows with the records that were read separately: a record, or null for none and for one that is not theirs to see. */
export async function attachReads(
  client: SupabaseClient,
  rows: readonly Row[],
  reads: readonly SeparateRead[],
  signal?: AbortSignal,
): Promise<Row[]> {
  if (reads.length === 0 || rows.length === 0) return [...rows]
  const tables = await Promise.all(
    [...new Set(reads.map(({ table }) => table))].map(async (table) => {
      const own = reads.filter((read) => read.table === table)
      const ids = [...new Set(own.flatMap((read) => idsOf(rows, read)))]
      const fields = [
        ...new Set(own.flatMap((read) => [...read.fields, ...read.reads.map((each) => each.column)])),
      ]
      const found = await readTable(client, table, { ids, fields }, signal)
      const inner = own.flatMap((read) => read.reads)
      const whole = await attachReads(client, [...found.values()], inner, signal)
      return [table, new Map(whole.map((row) => [String(row.id), row]))] as const
    }),
  )
  const byTable = new Map(tables)
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(
      reads.map(({ key, table, column }) => [key, byTable.get(table)?.get(String(row[column])) ?? null]),
    ),
  }))
}
