import { toDataError } from '@/data/errors'
import type { Definition } from '@/resource/definition/definition.generated'
import { fieldOfError } from '@/resource/form/server-errors'
import type { ImportPlan, ImportRow, Mistake } from '@/resource/import/check-rows'
import { cellText, type FileTable } from '@/resource/import/file-table'

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
