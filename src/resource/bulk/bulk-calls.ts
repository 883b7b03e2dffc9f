import { CheckError, DuplicateError, GoneError, LinkError, toDataError, UnknownError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { callRpc } from '@/data/rpc'
import type { NamedAction } from '@/resource/actions/actions'
import { rpcCalls } from '@/resource/actions/rpc-calls'
import type { RowOutcome } from '@/resource/bulk/bulk-run'
import type { SqlFilter } from '@/resource/bulk/matching-filter'

/** The rows of a list beyond its page, as the database's functions take them. */
export interface Matching {
  resource: string
  filter: SqlFilter
  q: string
}

const PAGE = 1000

/** The ids of all of them, as they are now: what is done afterwards is done to these and to no others. */
export async function readMatching(
  matching: Matching,
  isCancelled: () => boolean,
  onProgress: (count: number) => void,
): Promise<string[]> {
  const ids: string[] = []
  while (!isCancelled()) {
    const page = await callRpc<string[]>('matching_ids', {
      ...matching,
      after: ids.at(-1) ?? null,
      most: PAGE,
    })
    ids.push(...page)
    onProgress(ids.length)
    if (page.length < PAGE) break
  }
  return ids
}

interface Answer {
  id: string
  outcome: 'changed' | 'deleted' | 'same' | 'gone' | 'refused'
  reason: unknown
}

async function written(name: string, args: Row): Promise<RowOutcome[]> {
  const answers = await callRpc<Answer[]>(name, args)
  return answers.map(({ id, outcome, reason }) => ({
    id,
    outcome: outcome === 'deleted' ? 'changed' : outcome,
    ...(outcome === 'refused' ? { error: toDataError(reason) } : {}),
  }))
}

export function editRows(resource: string, ids: readonly string[], changes: Row): Promise<RowOutcome[]> {
  return written('bulk_edit', { resource, ids, changes })
}

export function deleteRows(resource: string, ids: readonly string[]): Promise<RowOutcome[]> {
  return written('bulk_delete', { resource, ids })
}

const GONE = 'PT404'

/** Whether a failure is about some of the rows, so that the others can still be done. */
function concernsRows(error: unknown): boolean {
  return (
    error instanceof CheckError ||
    error instanceof DuplicateError ||
    error instanceof LinkError ||
    error instanceof GoneError ||
    (error instanceof UnknownError && /^P(T|0001)/.test(error.code))
  )
}

/**
 * Calls an action's function for a batch. It is all or nothing there: a batch with a row that cannot be done is
 * halved until that row stands alone. A number in the answer is how many rows were reached.
 */
export async function runAction(
  resource: string,
  named: NamedAction,
  ids: readonly string[],
  params: Row,
): Promise<RowOutcome[]> {
  try {
    let reached: unknown
    for (const args of rpcCalls(
      named.action,
      ids.map((id) => ({ id })),
      params,
    ))
      reached = await callRpc(named.action.rpc ?? named.name, args)
    const missing = typeof reached === 'number' ? Math.max(0, ids.length - reached) : 0
    return missing === 0 ? ids.map((id) => ({ id, outcome: 'changed' })) : unreached(resource, ids, missing)
  } catch (error) {
    if (!concernsRows(error)) throw error
    const failure = toDataError(error)
    if (ids.length > 1) {
      const middle = Math.ceil(ids.length / 2)
      const first = await runAction(resource, named, ids.slice(0, middle), params)
      return [...first, ...(await runAction(resource, named, ids.slice(middle), params))]
    }
    const isGone = failure instanceof GoneError || failure.code === GONE
    return ids.map((id) => (isGone ? { id, outcome: 'gone' } : { id, outcome: 'refused', error: failure }))
  }
}

/** Rows that the function did not reach are gone where they cannot be seen; the others were so already. */
async function unreached(resource: string, ids: readonly string[], missing: number): Promise<RowOutcome[]> {
  const filter: SqlFilter = { id: { _in: [...ids] } }
  const there = new Set(await callRpc<string[]>('matching_ids', { resource, filter }))
  const gone = ids.filter((id) => !there.has(id))
  const same = Math.max(0, missing - gone.length)
  return [
    ...gone.map((id): RowOutcome => ({ id, outcome: 'gone' })),
    ...[...there].map((id, index): RowOutcome => ({ id, outcome: index < same ? 'same' : 'changed' })),
  ]
}

export interface FacetCount {
  value: string | null
  count: number
}

export function readFacets(matching: Matching, field: string): Promise<FacetCount[]> {
  return callRpc<FacetCount[]>('facet_counts', { ...matching, field })
}
