import { type BaseRecord, type HttpError, useDeleteMany, useUpdateMany } from '@refinedev/core'
import { toDataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import type { ConsoleMeta } from '@/refine/data-provider'
import type { CallRpc } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { type NamedAction, rpcArguments } from '@/resource/request/filter/actions'
import type { SqlFilter } from '@/resource/request/filter/matching-filter'
import type { ListChange } from '@/resource/tools/bulk/bulk-fields'
import type { RowOutcome } from '@/resource/tools/bulk/bulk-run'

/** The rows of a list beyond its page, as the database's functions take them. */
export interface Matching {
  resource: string
  filter: SqlFilter
  q: string
}

const PAGE = 1000

/** The ids of all of them at this moment; the job changes these and no others. */
export async function readMatching(
  call: CallRpc,
  matching: Matching,
  isCanceled: () => boolean,
  onProgress: (count: number) => void,
): Promise<string[]> {
  const ids: string[] = []
  while (!isCanceled()) {
    const page = await call<string[]>('matching_ids', {
      ...matching,
      after: ids.at(-1) ?? null,
      max_rows: PAGE,
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

function outcomesOf(answers: readonly Answer[]): RowOutcome[] {
  return answers.map(({ id, outcome, reason }) => ({
    id,
    outcome: outcome === 'deleted' ? 'changed' : outcome,
    ...(outcome === 'refused' ? { error: toDataError(reason) } : {}),
  }))
}

/** The code of a row for which an action is no longer possible. */
export const UNFIT = 'PT412'

const QUIET = { invalidates: [], successNotification: false, errorNotification: false } as const

/**
 * The writes of a job, one call per batch; the database decides and answers for each row.
 * @throws DataError
 */
export function useBatchWrites(definition: Definition) {
  const update = useUpdateMany<BaseRecord, HttpError, Row>()
  const remove = useDeleteMany<BaseRecord, HttpError>()
  const resource = definition.name
  const metaOf = (name: string, args: Row): ConsoleMeta => ({
    table: tableOf(definition),
    batch: { name, args },
  })
  const write = async (name: string, ids: readonly string[], args: Row): Promise<RowOutcome[]> => {
    const { data } = await update.mutateAsync({
      ...QUIET,
      invalidates: [],
      resource,
      ids: [...ids],
      values: {},
      meta: metaOf(name, args),
    })
    return outcomesOf(data as unknown as Answer[])
  }
  return {
    /** @param job the id of the whole edit, chosen here; the edit can be undone by this id only. */
    edit: (ids: readonly string[], edit: { changes: Row; lists: readonly ListChange[] }, job: string) =>
      write('bulk_edit', ids, { ...edit, job }),
    /** Restores the values before the edit, except in rows that somebody changed since. */
    undo: (ids: readonly string[], job: string) => write('bulk_undo', ids, { job }),
    /** Takes deleted rows out of the trash. */
    restore: (ids: readonly string[]) => write('restore_records', ids, {}),
    /** @param condition checked again by the database for each row. */
    act: ({ name, action }: NamedAction, ids: readonly string[], params: Row, condition: SqlFilter) => {
      const { argument, args } = rpcArguments(action)
      return write('bulk_act', ids, {
        act: action.rpc ?? name,
        argument,
        args: { ...args, ...params },
        condition,
      })
    },
    remove: async (ids: readonly string[]): Promise<RowOutcome[]> => {
      const { data } = await remove.mutateAsync({
        ...QUIET,
        invalidates: [],
        resource,
        ids: [...ids],
        meta: metaOf('bulk_delete', {}),
      })
      return outcomesOf(data as unknown as Answer[])
    },
  }
}
