import { useCallback, useMemo, useState } from 'react'
import type { Row } from '@/data/rows'

const NONE: Row[] = []

/** Chosen rows, kept with their contents: the choice outlives its page of the list. */
export function useSelection(visible: readonly Row[]) {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())

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
      const isAll = visible.every((row) => next.has(String(row.id)))
      for (const row of visible) {
        if (isAll) next.delete(String(row.id))
        else next.set(String(row.id), row)
      }
      return next
    })
  }, [visible])
  const clear = useCallback(() => setChosen(new Map()), [])
  const isSelected = useCallback((row: Row) => chosen.has(String(row.id)), [chosen])
  // What changed since it was chosen is shown, and acted upon, as it is now.
  const rows = useMemo(() => {
    if (chosen.size === 0) return NONE
    const now = new Map(visible.map((row) => [String(row.id), row]))
    return [...chosen].map(([id, row]) => now.get(id) ?? row)
  }, [chosen, visible])

  return { rows, isSelected, toggle, toggleAll, clear }
}
