import { CheckError, DuplicateError, LinkError, OverlapError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'

const ENDING = /_(check\d*|key|fkey|idx)$/

/**
 * The field a refused write is about: the column the database names, the one its constraint is called after,
 * or the one whose value it refused. `groups_company_id_name_key` is about `name`: Postgres' own naming,
 * which the migrations keep.
 */
export function fieldOfError(definition: Definition, error: unknown, values: Row = {}): string | undefined {
  if (error instanceof OverlapError) return definition.no_overlap?.from
  if (!(error instanceof CheckError || error instanceof DuplicateError || error instanceof LinkError))
    return undefined
  const { column, constraint } = error
  const candidates = [column, column?.replace(/_key$/, ''), ...namesIn(definition, constraint)]
  const named = candidates.find((name) => name !== undefined && definition.fields[name] !== undefined)
  if (named || !(error instanceof CheckError)) return named
  return crossChecked(definition, constraint) ?? fieldOfValue(definition, error, values)
}

/** The fields to mark: a refusal names several columns where one of them is to be given. */
export function fieldsOfError(definition: Definition, error: unknown, values: Row = {}): string[] {
  const columns =
    error instanceof CheckError
      ? [...error.message.matchAll(/column "([^"]+)"/g)].map(([, column]) => String(column))
      : []
  const named = columns.filter((column) => definition.fields[column] !== undefined)
  return [...new Set(named.length > 1 ? named : [fieldOfError(definition, error, values) ?? []].flat())]
}

/**
 * Whether the definition may have words of its own for the refusal: not for a missing value, one of another type, or one
 * that breaks a rule of other records.
 */
export function breaksOwnRule(error: unknown): boolean {
  if (error instanceof DuplicateError || error instanceof OverlapError) return true
  return (
    error instanceof CheckError &&
    error.code === '23514' &&
    error.blocking === undefined &&
    !error.constraint?.endsWith('_check02')
  )
}

/** The column that a constraint's name refers to. Of several, the user corrects the last one. */
function namesIn(definition: Definition, constraint: string | undefined): string[] {
  const prefix = `${tableOf(definition)}_`
  if (!constraint?.startsWith(prefix)) return []
  const bare = constraint.slice(prefix.length).replace(ENDING, '')
  const own = bare.replace(/^company_id_/, '')
  // `name_key` is the sort key of `name` and carries its unique index.
  const exact = [bare, own, own.replace(/_key$/, '')]
  const contained = Object.keys(definition.fields)
    .filter((name) => `_${own}_`.includes(`_${name}_`))
    .sort((a, b) => b.length - a.length)
  return [...exact, ...contained]
}

/** A constraint over the whole row, `<table>_check`, is about the one field that is checked against another. */
function crossChecked(definition: Definition, constraint: string | undefined): string | undefined {
  if (!constraint?.startsWith(`${tableOf(definition)}_`) || !/_check\d*$/.test(constraint)) return undefined
  const checked = Object.entries(definition.fields).filter(([, field]) =>
    JSON.stringify(field.check ?? {}).includes('$record.'),
  )
  return checked.length === 1 ? checked[0]?.[0] : undefined
}

/** Errors of the 22xxx family name no column, but often the value, or the length it exceeds. */
function fieldOfValue(definition: Definition, error: CheckError, values: Row): string | undefined {
  const fits = Object.entries(definition.fields).filter(([name, field]) => {
    const value = values[name]
    if (value === null || value === undefined || typeof value === 'object') return false
    if (error.refused !== undefined) return String(value) === error.refused
    return error.limit !== undefined && kindOf(field.type).isText && [...String(value)].length > error.limit
  })
  return fits.length === 1 ? fits[0]?.[0] : undefined
}
