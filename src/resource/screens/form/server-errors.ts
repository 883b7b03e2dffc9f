import { CheckError, DuplicateError, LinkError } from '@/data/errors'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'

const ENDING = /_(check\d*|key|fkey)$/

/**
 * The field a refused write is about: the column the database names, or the one its constraint is called
 * after. `groups_company_id_name_key` is about `name`: Postgres' own naming, which the migrations keep.
 */
export function fieldOfError(definition: Definition, error: unknown): string | undefined {
  if (!(error instanceof CheckError || error instanceof DuplicateError || error instanceof LinkError))
    return undefined
  const prefix = `${tableOf(definition)}_`
  const { column, constraint } = error
  const bare = constraint?.startsWith(prefix)
    ? constraint.slice(prefix.length).replace(ENDING, '')
    : undefined
  const candidates = [column, bare, bare?.replace(/^company_id_/, '')]
  return candidates.find((name) => name !== undefined && definition.fields[name] !== undefined)
}
