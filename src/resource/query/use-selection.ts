import { useCallback, useMemo, useState } from 'react'
import type { Row } from '@/data/rows'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { findDefinition } from '@/resource/definition/registry'
import { listFilter } from '@/resource/query/list-request'
import type { ListState } from '@/resource/query/list-state'

const NONE: Row[] = []

interface SelectionOf {
  definition: Definition
  state: ListState
  /** A further condition on the list, such as the record under which it is shown. */
  extra: Filter | undefined
  /** The rows of the page in view. */
  visible: readonly Row[]
}

export interface Selection {
  rows: Row[]
  /** The list's filter, to which "all matching rows" refers. */
  filter: Filter
  /** Whether all matching rows are selected, not only individual ones. */
  isAll: boolean
  isSelected: (row: Row) => boolean
  toggle: (row: Row) => void
  toggleAll: () => void
  chooseAll: () => void
  clear: () => void
}

/** Selected rows with their contents: the selection survives paging. */
export function useSelection({ definition, state, extra, visible }: SelectionOf): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const [allOf, setAllOf] = useState<string | null>(null)

  const toggle = useCallback((row: Row) => {
    setChosen((before) => {
      const next = new Map(before)
      if (!next.delete(String(row.id))) next.set(String(row.id), row)
      return next
    })
  }, [])
  const toggleAll = useCallback(() => {
    setChosen((before) => {
      const next = new Map(before)
      const isWhole = visible.every((row) => next.has(String(row.id)))
      for (const row of visible) {
        if (isWhole) next.delete(String(row.id))
        else next.set(String(row.id), row)
      }
      return next
    })
  }, [visible])
  const clear = useCallback(() => {
    setChosen(new Map())
    setAllOf(null)
  }, [])
  const isSelected = useCallback((row: Row) => chosen.has(String(row.id)), [chosen])
  // A row that changed after it was selected is shown, and acted on, with its current values.
  const rows = useMemo(() => {
    if (chosen.size === 0) return NONE
    const now = new Map(visible.map((row) => [String(row.id), row]))
    return [...chosen].map(([id, row]) => now.get(id) ?? row)
  }, [chosen, visible])

  const filter = listFilter(definition, state, { find: findDefinition, extra })
  // "All" refers to one filter and one selection: a change of either ends it.
  const meant = JSON.stringify([filter, state.q, rows.length])
  return {
    rows,
    filter,
    isAll: rows.length > 0 && allOf === meant,
    isSelected,
    toggle,
    toggleAll,
    chooseAll: () => setAllOf(meant),
    clear,
  }
}
