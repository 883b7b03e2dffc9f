import type { CallRpc } from '@/refine/use-rpc'
import type { Definition } from '@/resource/definition/definition.generated'
import type { FindDefinition } from '@/resource/definition/entry'
import { tableOf } from '@/resource/definition/naming'
import { targetOf } from '@/resource/fields/related-field'
import type { ImportPlan, ImportRow } from '@/resource/import/check-rows'
import { lookupField } from '@/resource/import/import-fields'
import type { ServerMistake } from '@/resource/import/server-mistakes'

/** The answer of the database, dry or not. */
export interface ImportAnswer {
  inserted: number
  updated: number
  same: number
  written: boolean
  errors: ServerMistake[]
  /** Whether there are more errors than it names. */
  more: boolean
}

/** For each field that points at records: the column of the record that the file names records by. */
function lookupsOf(
  definition: Definition,
  fields: readonly string[],
  find: FindDefinition,
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap((name) => {
      const field = definition.fields[name]
      const by = field && targetOf(field) !== null ? lookupField(field, find) : null
      return by === null ? [] : [[name, by] as const]
    }),
  )
}

const LOOKUP_HINTS = ['lookup_missing', 'lookup_ambiguous']

/**
 * Looks up references in rows that have other mistakes, so that a file is corrected once. These rows are asked
 * apart: the figures of the check are those of the other rows.
 */
export async function findMissing(
  call: CallRpc,
  request: ImportRequest,
): Promise<Pick<ImportAnswer, 'errors' | 'more'>> {
  const { definition, plan, find } = request
  const named = Object.keys(
    lookupsOf(
      definition,
      plan.columns.filter((name) => name !== null),
      find,
    ),
  )
  const rows = request.rows.filter(({ values }) => named.some((name) => (values[name] ?? '') !== ''))
  if (rows.length === 0) return { errors: [], more: false }
  const { errors, more } = await importRows(call, { ...request, rows }, true)
  return { errors: errors.filter(({ hint }) => hint !== null && LOOKUP_HINTS.includes(hint)), more }
}

export interface ImportRequest {
  definition: Definition
  rows: readonly ImportRow[]
  plan: ImportPlan
  companyId: string | null
  find: FindDefinition
}

/** All rows in one call, which writes all or none; dry, it only says what it would do. Throws a DataError. */
export function importRows(
  call: CallRpc,
  { definition, rows, plan, companyId, find }: ImportRequest,
  isDry: boolean,
): Promise<ImportAnswer> {
  const fields = plan.columns.filter((name) => name !== null)
  return call<ImportAnswer>('import_rows', {
    resource: tableOf(definition),
    rows,
    company: definition.tenant === false ? null : companyId,
    keys: plan.keys,
    lookups: lookupsOf(definition, fields, find),
    mode: plan.mode,
    dry_run: isDry,
  })
}
