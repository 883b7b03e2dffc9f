import { type BaseRecord, type HttpError, useList } from '@refinedev/core'
import { useEffect, useRef, useState } from 'react'
import { toDataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useRpcCall } from '@/refine/use-rpc'
import type { FieldProblem } from '@/resource/fields/kind-interface'
import type { Children, Definition } from '@/resource/language/definition.generated'
import { listOf, tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { orderOf } from '@/resource/request/query/list-request'
import { parseSort } from '@/resource/request/query/list-state'
import { buildSelect } from '@/resource/request/query/select'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { useRefresh } from '@/resource/request/query/use-write'
import {
  type ChildAnswer,
  type ChildRow,
  childFields,
  isChanged,
  MAX_CHILDREN,
  newRow,
  rowProblems,
  saveArguments,
  storedRow,
} from '@/resource/screens/form/children/child-rows'
import { fieldOfError } from '@/resource/screens/form/server-errors'

/** Why the last save refused a row: an error (of `field`, if it names one), or a concurrent change or deletion. */
export interface RowRefusal {
  outcome: 'stale' | 'gone' | 'refused'
  field?: string
  error?: unknown
}

/** The stored children of a record: one more than the limit, to detect that there are more. */
function useStored(definition: Definition, { by }: Children, parentId: string | undefined) {
  const { companyId } = useResourceScope()
  const order = orderOf(definition, parseSort(listOf(definition)?.sort))
  const { query } = useList<BaseRecord, HttpError>({
    resource: definition.name,
    filters: [{ field: by, operator: 'eq', value: parentId }],
    sorters: order.map(({ column, descending }) => ({ field: column, order: descending ? 'desc' : 'asc' })),
    pagination: { currentPage: 1, pageSize: MAX_CHILDREN + 1, mode: 'server' },
    meta: {
      table: tableOf(definition),
      companyId: definition.tenant === false ? null : companyId,
      select: buildSelect(definition, Object.keys(definition.fields), findDefinition),
      count: 'none',
    },
    queryOptions: { enabled: parentId !== undefined },
  })
  return query
}

/** The rows of one list of children while their parent is edited. */
export function useChildRows(definition: Definition, children: Children, parentId: string | undefined) {
  const { filter: scope } = useResourceScope()
  const call = useRpcCall()
  const refresh = useRefresh(definition)
  const query = useStored(definition, children, parentId)
  const stored = query.data?.data as Row[] | undefined
  const [rows, setRows] = useState<readonly ChildRow[]>([])
  const [problems, setProblems] = useState<ReadonlyMap<string, ReadonlyMap<string, FieldProblem>>>(new Map())
  const [refusals, setRefusals] = useState<ReadonlyMap<string, RowRefusal>>(new Map())
  const names = childFields(definition, children)
  const changed = rows.filter((row) => isChanged(definition, row, names))
  const made = useRef(0)

  // Rows that the user did not change follow the database.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a refetch must run it, not each edit
  useEffect(() => {
    if (!stored) return
    const own = new Map(changed.map((row) => [row.key, row]))
    const read = stored
      .slice(0, MAX_CHILDREN)
      .map((row) => own.get(String(row.id)) ?? storedRow(definition, row))
    const known = new Set(read.map(({ key }) => key))
    setRows([...read, ...changed.filter(({ key }) => !known.has(key))])
  }, [stored])

  const problemsOf = (checked: readonly ChildRow[]) =>
    new Map(
      checked.flatMap((row) => {
        const own = rowProblems(definition, row, names, scope)
        return own.size > 0 ? [[row.key, own] as const] : []
      }),
    )
  const check = (): boolean => {
    const found = problemsOf(changed)
    setProblems(found)
    return found.size === 0
  }
  const checkRow = (key: string) => {
    const found = problemsOf(changed.filter((row) => row.key === key))
    setProblems((all) => new Map([...all, ...found]))
  }

  const refuse = (answers: readonly ChildAnswer[]) => {
    setRefusals(
      new Map(
        answers.flatMap(({ place, outcome, reason }) => {
          const row = changed[place]
          if (!row || !(outcome === 'stale' || outcome === 'gone' || outcome === 'refused')) return []
          const error = outcome === 'refused' ? toDataError(reason) : undefined
          const named = error && fieldOfError(definition, error, row.values)
          const field = named !== undefined && names.includes(named) ? named : undefined
          return [[row.key, { outcome, error, ...(field ? { field } : {}) }] as const]
        }),
      ),
    )
  }

  const save = async (parent: Row): Promise<boolean> => {
    if (changed.length === 0) return true
    const companyId = typeof parent.company_id === 'string' ? parent.company_id : null
    const to = { id: String(parent.id), companyId }
    const answers = await call<ChildAnswer[]>(
      'save_children',
      saveArguments(definition, children, to, changed, names, scope),
    )
    refuse(answers)
    if (answers.some(({ outcome }) => ['stale', 'gone', 'refused'].includes(outcome))) {
      void query.refetch()
      return false
    }
    setRows((all) => all.filter((row) => !changed.includes(row)))
    void refresh()
    return true
  }

  const edit = (key: string, change: (row: ChildRow) => ChildRow | null) => {
    setRows((all) => all.flatMap((row) => (row.key === key ? (change(row) ?? []) : row)))
    const without = <T>(map: ReadonlyMap<string, T>) => new Map([...map].filter(([other]) => other !== key))
    setProblems(without)
    setRefusals(without)
  }

  return {
    names,
    rows,
    problems,
    refusals,
    hasMore: (stored?.length ?? 0) > MAX_CHILDREN,
    isReading: parentId !== undefined && query.isLoading,
    error: query.error,
    retry: () => void query.refetch(),
    isDirty: () => changed.length > 0,
    check,
    /** Marks the errors of one row, once the user leaves it. */
    checkRow,
    save,
    add: () => {
      made.current += 1
      const row = newRow(definition, `new-${made.current}`, scope)
      setRows((all) => [...all, row])
      return row.key
    },
    setValue: (key: string, name: string, value: unknown) =>
      edit(key, (row) => ({ ...row, values: { ...row.values, [name]: value } })),
    remove: (key: string) => edit(key, (row) => (row.stored ? { ...row, isRemoved: true } : null)),
    restore: () => setRows((all) => all.map(({ isRemoved: _, ...row }) => row)),
    /** Replaces the row with the stored version, or removes it if it was deleted. */
    takeTheirs: (key: string) =>
      edit(key, () => {
        const newer = stored?.find(({ id }) => String(id) === key)
        return newer ? storedRow(definition, newer) : null
      }),
  }
}

export type ChildRows = ReturnType<typeof useChildRows>
