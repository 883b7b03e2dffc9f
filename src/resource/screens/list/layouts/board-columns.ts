import { type BaseRecord, type HttpError, useList } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { kindOf } from '@/resource/fields/kinds'
import { judgedFields, unfitRows } from '@/resource/fields/relation/picked'
import type { Board, Definition, Field, Filter } from '@/resource/language/definition.generated'
import { listOf, tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useValueWord, useWords } from '@/resource/language/words'
import { compareKinds, matches } from '@/resource/request/filter/predicate'
import type { FilterScope } from '@/resource/request/filter/scope'
import { orderOf } from '@/resource/request/query/list-request'
import { parseSort } from '@/resource/request/query/list-state'
import { buildSelect } from '@/resource/request/query/select'
import { recordTitle, titleFields } from '@/resource/request/query/title'
import type { ResourceScope } from '@/resource/request/query/use-scope'

/** A value of the board's field; null is the column of the records without one. */
export type ColumnValue = string | null

export interface Column {
  value: ColumnValue
  label: string
  /** The value by which `limits` and `moves` name the column: its own, or the kind of its record. */
  kind: string | null
  color?: string
  /** Whether cards may be moved to it: records that can no longer be chosen keep the cards that they have. */
  isOpen: boolean
}

/** The number of counted values, and so of columns: `facet_counts` answers no more. */
export const MAX_COLUMNS = 50

function allowsValue(definition: Definition, filter: Filter, row: Row, scope: FilterScope): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    if (key === '_and')
      return (condition as Filter[]).every((each) => allowsValue(definition, each, row, scope))
    return !(key in row) || matches({ [key]: condition }, row, scope, compareKinds(definition))
  })
}

/** The columns of a field with fixed values: those that the list's filter does not rule out. */
export function boardValues(
  definition: Definition,
  { by }: Pick<Board, 'by'>,
  filter: Filter,
  scope: FilterScope,
): ColumnValue[] {
  const field = definition.fields[by]
  if (!field) return []
  const values: ColumnValue[] = [...(kindOf(field.type).choices?.(field as never)?.known ?? [])]
  if (!field.required && !('default' in field)) values.push(null)
  return values.filter((value) => allowsValue(definition, filter, { [by]: value }, scope))
}

interface ReferenceBoard {
  definition: Definition
  board: Board
  target: Definition
  filter: Filter
  scope: FilterScope
  /** How many rows of the list each value has, as far as they are counted. */
  counts: ReadonlyMap<ColumnValue, number>
  none: string
}

/** The columns of a relation: its records that the list's filter does not rule out, in their order. */
export function referenceColumns(records: readonly Row[], given: ReferenceBoard): Column[] {
  const { definition, board, target, filter, scope, counts, none } = given
  const field = definition.fields[board.by] as Field & { where?: Filter; color?: string }
  const { kinds } = board
  const conditions = [listOf(target)?.filter, field.where].filter((each) => each !== undefined)
  const columns = records.flatMap((record): Column[] => {
    const value = String(record.id)
    const kind = kinds ? String(record[kinds.of] ?? '') : null
    const row = { [board.by]: value, ...(kinds ? { [kinds.field]: kind } : {}) }
    if (!allowsValue(definition, filter, row, scope)) return []
    const isOpen = conditions.every((each) => unfitRows(target, each, [record], scope).length === 0)
    if (!isOpen && !counts.get(value)) return []
    const color = field.color === undefined ? undefined : record[field.color]
    return [
      {
        value,
        kind,
        label: recordTitle(target, record),
        isOpen,
        ...(typeof color === 'string' ? { color } : {}),
      },
    ]
  })
  // A record of a kind always has a value.
  const hasNone = !kinds && !field.required && allowsValue(definition, filter, { [board.by]: null }, scope)
  return hasNone ? [...columns, { value: null, kind: null, label: none, isOpen: true }] : columns
}

interface ReferenceRecords {
  target: Definition | undefined
  query: ReturnType<typeof useList<BaseRecord, HttpError>>['query']
  records: readonly Row[] | undefined
  /** Whether there are more records than columns. */
  hasMore: boolean
  /** Whether each company has records of its own and none is chosen. */
  isOfAll: boolean
}

/** The records that a relation points at, in the order of their own list. */
export function useReferenceRecords(
  field: Field | undefined,
  further: readonly string[],
  scope: ResourceScope,
): ReferenceRecords {
  const target = (field?.type === 'relation' && findDefinition(field.to)) || undefined
  const asked = target ?? ({ name: 'none', fields: {} } as Definition)
  const list = listOf(asked)
  const relation = field as { where?: Filter; color?: string } | undefined
  const isOfAll = target !== undefined && target.tenant !== false && scope.companyId === null
  const titles = titleFields(asked)
  const first = titles.find((name) => asked.fields[name]?.sort)
  const names = [
    ...titles,
    ...(relation?.color ? [relation.color] : []),
    ...judgedFields(asked, relation?.where),
    ...judgedFields(asked, list?.filter),
    ...further,
  ]
  const { query } = useList<BaseRecord, HttpError>({
    resource: asked.name,
    sorters: orderOf(asked, parseSort(list?.sort ?? first)).map(({ column, descending }) => ({
      field: column,
      order: descending ? 'desc' : 'asc',
    })),
    pagination: { currentPage: 1, pageSize: MAX_COLUMNS + 1, mode: 'server' },
    meta: {
      table: tableOf(asked),
      companyId: asked.tenant === false ? null : scope.companyId,
      select: buildSelect(asked, [...new Set(names)], findDefinition),
      count: 'none',
    },
    queryOptions: { enabled: target !== undefined && !isOfAll },
  })
  const rows = query.data?.data as Row[] | undefined
  return {
    target,
    query,
    records: rows?.slice(0, MAX_COLUMNS),
    hasMore: (rows?.length ?? 0) > MAX_COLUMNS,
    isOfAll,
  }
}

interface BoardColumns extends Pick<ReferenceRecords, 'target' | 'query' | 'hasMore' | 'isOfAll'> {
  /** Undefined while the records that are the columns are read. */
  columns: readonly Column[] | undefined
}

/** The columns of a board: the values of an `enum`, or the records that a relation points at. */
export function useBoardColumns(
  definition: Definition,
  board: Board,
  filter: Filter,
  scope: ResourceScope,
  counts: ReadonlyMap<ColumnValue, number>,
): BoardColumns {
  const { t } = useTranslation('engine')
  const word = useValueWord(definition.name, board.by)
  const none = useWords(definition).none(board.by) ?? t('layout.none')
  const further = board.kinds ? [board.kinds.of] : []
  const { target, records, ...read } = useReferenceRecords(definition.fields[board.by], further, scope)
  if (target)
    return {
      ...read,
      target,
      columns:
        records &&
        referenceColumns(records, { definition, board, target, filter, scope: scope.filter, counts, none }),
    }
  return {
    ...read,
    target,
    columns: boardValues(definition, board, filter, scope.filter).map((value) => ({
      value,
      kind: value,
      label: value === null ? none : word(value),
      isOpen: true,
    })),
  }
}
