import type { Row } from '@/data/rows'
import type { Action } from '@/resource/definition/definition.generated'

export const DEFAULT_ARGS: NonNullable<Action['args']> = { ids: '$ids' }

/**
 * The calls of an action: one with `$ids` for all selected records, or one per record if its function takes a
 * single `$id`.
 */
export function rpcCalls(action: Action, rows: readonly Row[], params: Row): Row[] {
  const args = action.args ?? DEFAULT_ARGS
  const ids = rows.map((row) => String(row.id))
  const isSingle = Object.values(args).includes('$id')
  const fill = (id: string | undefined): Row => {
    const filled = Object.entries(args).map(([name, value]) => {
      if (value === '$ids') return [name, ids]
      return [name, value === '$id' ? id : value]
    })
    return { ...Object.fromEntries(filled), ...params }
  }
  return isSingle ? ids.map((id) => fill(id)) : [fill(ids[0])]
}

/** The argument that takes the records, and the others as the definition gives them. */
export function rpcArguments(action: Action): { argument: string; args: Row } {
  const entries = Object.entries(action.args ?? DEFAULT_ARGS)
  const isRecords = ([, value]: [string, unknown]) => value === '$ids' || value === '$id'
  return {
    argument: entries.find(isRecords)?.[0] ?? 'ids',
    args: Object.fromEntries(entries.filter((entry) => !isRecords(entry))),
  }
}
