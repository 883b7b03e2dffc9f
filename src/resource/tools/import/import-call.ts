import { toDataError } from '@/data/errors'
import type { CallRpc } from '@/refine/use-rpc'
import { targetOf } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import type { FindDefinition } from '@/resource/language/entry'
import { tableOf } from '@/resource/language/naming'
import { fieldOfError } from '@/resource/screens/form/server-errors'
import type { ImportPlan, ImportRow, Mistake } from '@/resource/tools/import/check-rows'
import { cellText, type FileTable } from '@/resource/tools/import/file-table'
import { lookupField } from '@/resource/tools/import/import-fields'

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

/** An error in the answer of `import_rows()`. */
export interface ServerMistake {
  line: number
  column: string | null
  code: string
  message: string
  details: string | null
  hint: string | null
  other_line: number | null
}

/** Hints of the database that have words of their own. */
const HINTS = new Set([
  'duplicate_key_in_file',
  'ambiguous_key',
  'unknown_key',
  'key_exists',
  'empty_key',
  'lookup_missing',
  'lookup_ambiguous',
  'bad_value',
])

interface Asked {
  definition: Definition
  rows: readonly ImportRow[]
  plan: ImportPlan
}

/** Gives the database's errors as the browser's own: with the field and the text of the file. */
export function serverMistakes(
  { definition, rows, plan }: Asked,
  errors: readonly ServerMistake[],
  textOf: (line: number, field: string) => string,
): Mistake[] {
  const byLine = new Map(rows.map((row) => [row.line, row.values]))
  const [onlyKey, secondKey] = plan.keys
  return errors.map((mistake) => {
    const { line, hint, code } = mistake
    const failure = toDataError(mistake)
    const isKey = hint?.endsWith('_key') === true || hint === 'key_exists' || hint === 'duplicate_key_in_file'
    const named = mistake.column ?? fieldOfError(definition, failure, byLine.get(line) ?? {}) ?? null
    const field = named ?? (isKey && secondKey === undefined ? (onlyKey ?? null) : null)
    const value = field === null ? '' : textOf(line, field)
    const key = hint !== null && HINTS.has(hint) ? hint : `server.${code}`
    return {
      line,
      field,
      text: field === null ? plan.keys.map((name) => textOf(line, name)).join(' · ') : value,
      problem: {
        key,
        values: {
          value,
          message: mistake.message,
          ...(mistake.other_line === null ? {} : { other: mistake.other_line }),
        },
      },
      ...(key.startsWith('server.') ? { failure } : {}),
    }
  })
}

/** The file's value for a field of a line. */
export function fileText(
  table: Pick<FileTable, 'rows'>,
  columns: ImportPlan['columns'],
): (line: number, field: string) => string {
  const byLine = new Map(table.rows.map((row) => [row.line, row.cells]))
  return (line, field) => cellText(byLine.get(line)?.[columns.indexOf(field)] ?? null)
}
