import { type BaseRecord, type HttpError, useMany } from '@refinedev/core'
import type { Row } from '@/data/rows'
import type { ManyQuestion } from '@/refine/keys'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { findDefinition } from '@/resource/definition/registry'
import { buildSelect } from '@/resource/query/select'
import { titleFields } from '@/resource/query/title'

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
