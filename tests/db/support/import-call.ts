import type { ImportAnswer } from '@/resource/tools/import/import-call'
import { type AsUser, type Attempt, jsonLiteral, literal } from './as-user'

export interface ImportCall {
  resource: string
  /** Taken for rows of a file whose first line is its heads, unless it is no list of objects. */
  rows?: unknown
  company?: string | null
  keys?: string[]
  lookups?: unknown
  mode?: string | null
  dry_run?: boolean
}

export const linesOf = (values: readonly object[]) =>
  values.map((value, index) => ({ line: index + 2, values: value }))

/** Tries an import as a user and takes it back; `report` is undefined where the call itself was refused. */
export async function tryImport(
  as: AsUser,
  who: string | null,
  { resource, rows = [], company = null, keys = [], lookups = {}, mode = 'upsert', dry_run }: ImportCall,
  probe?: string,
): Promise<Attempt & { report: ImportAnswer | undefined }> {
  const attempt = await as(
    who,
    `select public.import_rows(${literal(resource)}, ${jsonLiteral(rows)}, ${literal(company)},
       array[${keys.map(literal).join(', ')}]::text[], ${jsonLiteral(lookups)}, ${literal(mode)}${
         dry_run === undefined ? '' : `, ${dry_run}`
       }) as report`,
    probe,
  )
  return { ...attempt, report: attempt.data?.[0]?.report as ImportAnswer | undefined }
}

/** An import of ticket issues. */
export const issues = (rows: readonly object[], call: Partial<ImportCall> = {}): ImportCall => ({
  resource: 'ticket_issues',
  rows: linesOf(rows),
  keys: ['name'],
  lookups: { category_id: 'name' },
  ...call,
})

export const wrong = (report: ImportAnswer | undefined) =>
  report?.errors.map(({ line, column, hint, code }) => [line, column, hint ?? code])
