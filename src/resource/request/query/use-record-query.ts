import { type BaseRecord, type HttpError, type ILog, useLogList, useMany, useOne } from '@refinedev/core'
import type { DataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import type { LogMeta } from '@/refine/audit-log-provider'
import type { ConsoleMeta } from '@/refine/data-provider'
import { type ManyQuestion, resourceKey } from '@/refine/keys'
import type { Cache } from '@/refine/use-cache'
import { kindOf } from '@/resource/fields/kinds'
import { isDotted } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { embedKey } from '@/resource/language/embed-keys'
import { showOf, tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { shownByActions } from '@/resource/request/filter/actions'
import { refreshInterval } from '@/resource/request/query/refetch-rules'
import { countEmbeds } from '@/resource/request/query/related-counts'
import { buildSelect } from '@/resource/request/query/select'
import { titleFields } from '@/resource/request/query/title'
import type { ResourceScope } from '@/resource/request/query/use-scope'

/** How a whole record is read: one question, so that its page, its form and a prefetch share the answer. */
export function recordMeta(definition: Definition, scope: ResourceScope): ConsoleMeta {
  return {
    table: tableOf(definition),
    companyId: definition.tenant === false ? null : scope.companyId,
    select: [
      buildSelect(
        definition,
        [...Object.keys(definition.fields), ...shownByActions(definition).filter(isDotted)],
        findDefinition,
      ),
      ...countEmbeds(definition, findDefinition),
    ].join(','),
  }
}

export function useRecord(definition: Definition, id: string, scope: ResourceScope) {
  const { query } = useOne<BaseRecord, HttpError>({
    resource: definition.name,
    id,
    meta: recordMeta(definition, scope),
    queryOptions: { refetchInterval: refreshInterval(definition) },
  })
  return {
    data: query.data?.data as Row | undefined,
    error: query.error as unknown as DataError | null,
    isPending: query.isPending,
    isFetching: query.isFetching,
    dataUpdatedAt: query.dataUpdatedAt,
    refetch: () => query.refetch().then(({ data }) => data?.data as Row | undefined),
  }
}

/** Shows the saved values of a record until it is read again: a page with the old ones reads as if nothing was saved. */
export function showSaved(cache: Cache, definition: Definition, scope: ResourceScope, saved: Row): void {
  const id = String(saved.id)
  const meta = recordMeta(definition, scope)
  const before = cache.cachedOne<BaseRecord>(definition.name, id, meta)
  if (!before) return
  const row: Row = { ...before }
  for (const [name, field] of Object.entries(definition.fields)) {
    if (kindOf(field.type).detached || !(name in before) || !(name in saved) || row[name] === saved[name])
      continue
    row[name] = saved[name]
    // The title of another record belongs to the old value.
    delete row[embedKey(name)]
  }
  cache.writeOne(definition.name, id, meta, row as BaseRecord)
}

/** The record as it is now: one request, after which its page shows the same. The known one where it cannot be read. */
export async function readAgain(
  cache: Cache,
  definition: Definition,
  scope: ResourceScope,
  record: Row,
): Promise<Row> {
  return cache
    .readOne(definition.name, String(record.id), recordMeta(definition, scope))
    .catch(() => record) as Promise<Row>
}

/** Under the pointer, a row's record is read before it is opened. */
export function prefetchRecord(cache: Cache, definition: Definition, id: string, scope: ResourceScope): void {
  void cache.prefetchOne(definition.name, id, recordMeta(definition, scope))
}

/** Records by their ids, with what their titles need and `further` fields. One question, whoever shows the choice. */
export function chosenQuestion(
  target: Definition,
  ids: readonly string[],
  further: readonly string[] = [],
): ManyQuestion {
  return {
    resource: target.name,
    ids: [...ids].sort(),
    meta: {
      table: tableOf(target),
      select: buildSelect(target, [...titleFields(target), ...further], findDefinition),
    },
  }
}

export function useChosen(
  target: Definition | null,
  ids: readonly string[],
  further: readonly string[] = [],
) {
  const question = target ? chosenQuestion(target, ids, further) : { resource: '', ids: [], meta: {} }
  const { query } = useMany<BaseRecord, HttpError>({
    ...question,
    queryOptions: {
      enabled: target !== null && ids.length > 0,
      placeholderData: (previous) => previous,
    },
  })
  return {
    data: query.data?.data as Row[] | undefined,
    isLoading: query.isLoading,
    isPending: query.isPending,
  }
}

/** A page of what happened to a record, the newest first; the page after an entry where one is given. */
export function useActivity(definition: Definition, id: string, after?: ILog) {
  const related = (showOf(definition)?.related ?? []).flatMap(({ resource, by, activity }) => {
    const target = findDefinition(resource)
    return target && activity ? [`${tableOf(target)}.${by}${activity === 'links' ? '.links' : ''}`] : []
  })
  const meta: LogMeta = {
    id,
    ...(related.length > 0 ? { related } : {}),
    ...(after ? { before: after.createdAt, before_id: String(after.id) } : {}),
  }
  const { data, error, refetch } = useLogList<ILog[], HttpError>({
    resource: tableOf(definition),
    meta: { ...meta },
    // Under the resource's key: a write or a live message reads it again with the record.
    queryOptions: { queryKey: [...resourceKey(definition.name), 'activity', meta] },
  })
  return { data, error: error as unknown as DataError | null, refetch }
}
