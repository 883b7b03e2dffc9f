import { toDataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { callRpc } from '@/data/rpc'
import type { NamedAction } from '@/resource/actions/actions'
import { rpcArguments } from '@/resource/actions/rpc-calls'
import type { ListChange } from '@/resource/bulk/bulk-lists'
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
  outcome: 'changed' | 'deleted' | 'same' | 'stale' | 'gone' | 'refused'
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

/** @param job the id of the whole edit, chosen here: by it, and by nobody else, the edit can be undone. */
export function editRows(
  resource: string,
  ids: readonly string[],
  edit: { changes: Row; lists: readonly ListChange[] },
  job: string,
): Promise<RowOutcome[]> {
  return written('bulk_edit', { resource, ids, ...edit, job })
}

/** Puts back what the rows held before the edit, except where somebody changed them since. */
export function undoEdit(resource: string, ids: readonly string[], job: string): Promise<RowOutcome[]> {
  return written('bulk_undo', { resource, ids, job })
}

export function deleteRows(resource: string, ids: readonly string[]): Promise<RowOutcome[]> {
  return written('bulk_delete', { resource, ids })
}

/** The code of a row for which an action is no longer possible. */
export const UNFIT = 'PT412'

export function runAction(
  resource: string,
  { name, action }: NamedAction,
  ids: readonly string[],
  params: Row,
  /** Tried again by the database when it is the row's turn. */
  condition: SqlFilter,
): Promise<RowOutcome[]> {
  const { argument, args } = rpcArguments(action)
  return written('bulk_act', {
    resource,
    ids,
    act: action.rpc ?? name,
    argument,
    args: { ...args, ...params },
    condition,
  })
}

export interface FacetCount {
  value: string | null
  count: number
}

export function readFacets(matching: Matching, field: string): Promise<FacetCount[]> {
  return callRpc<FacetCount[]>('facet_counts', { ...matching, field })
}
