import { useCallback, useEffect, useRef, useState } from 'react'
import { useCan } from '@/access/use-can'
import type { Definition } from '@/resource/language/definition.generated'
import { canEdit } from '@/resource/language/naming'
import type { ListColumn } from '@/resource/request/query/columns'
import type { CellGrid, CellPlace } from '@/resource/tools/inline/cell-grid'
import { isCellField } from '@/resource/tools/inline/cell-grid'

/** The cell that was pressed, by where it stands: while nothing is edited, cells carry no mark of their own. */
function placeOf(target: EventTarget | null, columns: readonly string[]): CellPlace | null {
  if (!(target instanceof Element)) return null
  const cell = target.closest<HTMLTableCellElement>('tbody td, tbody th')
  const id = cell?.closest<HTMLTableRowElement>('tr[data-row]')?.dataset.row
  const first = cell?.closest('table')?.dataset.selectable === 'true' ? 1 : 0
  const field = cell ? columns[cell.cellIndex - first] : undefined
  return id !== undefined && field !== undefined ? { id, field } : null
}

const OWN_PRESS = 'a, button, input, label, select, textarea'

/** Whether a list's cells are being edited. What does it is loaded when it first is. */
export function useInlineEdit(definition: Definition, columns: readonly ListColumn[]) {
  const root = useRef<HTMLDivElement>(null)
  const [isOn, setOn] = useState(false)
  const [isLoaded, setLoaded] = useState(false)
  const [start, setStart] = useState<CellPlace | null>(null)
  const [grid, setGrid] = useState<CellGrid | null>(null)
  const isOffered = canEdit(definition) && columns.some(({ field }) => isCellField(definition, field))
  const can = useCan()
  const isListening = isOffered && can(definition.name, 'edit').allowed && !isOn
  const shown = columns.map(({ field }) => field).join(' ')

  const turnOn = useCallback((place: CellPlace | null) => {
    setStart(place)
    setLoaded(true)
    setOn(true)
  }, [])
  useEffect(() => {
    const box = root.current
    if (!box || !isListening) return
    const begin = (event: Event) => {
      const place = placeOf(event.target, shown.split(' '))
      if (!place || !isCellField(definition, place.field)) return
      event.preventDefault()
      turnOn(place)
    }
    const handlePress = (event: MouseEvent) => {
      if (event.target instanceof Element && !event.target.closest(OWN_PRESS)) begin(event)
    }
    const handleKey = (event: KeyboardEvent) => {
      if (event.key === 'F2') begin(event)
    }
    box.addEventListener('dblclick', handlePress)
    box.addEventListener('keydown', handleKey)
    return () => {
      box.removeEventListener('dblclick', handlePress)
      box.removeEventListener('keydown', handleKey)
    }
  }, [isListening, shown, definition, turnOn])

  return {
    root,
    isOffered,
    isOn,
    isLoaded,
    start,
    grid,
    setGrid,
    toggle: () => (isOn ? setOn(false) : turnOn(null)),
    turnOff: useCallback(() => setOn(false), []),
  }
}

export type InlineEdit = ReturnType<typeof useInlineEdit>
