import { useCallback, useRef } from 'react'
import type { Row } from '@/data/rows'
import type { ChildHandle } from '@/resource/form/children/child-list'

/** The lists of children of one form, as one. */
export function useChildren() {
  const handles = useRef(new Map<string, ChildHandle>())
  const register = useCallback((key: string, handle: ChildHandle) => handles.current.set(key, handle), [])
  // The form may be left at once, before the lists know that they are saved.
  const isDone = useRef(false)
  const isDirty = useCallback(
    () => !isDone.current && [...handles.current.values()].some((handle) => handle.isDirty()),
    [],
  )
  return {
    register,
    isDirty,
    /** Validates all lists and marks the errors. */
    check: () => [...handles.current.values()].map((handle) => handle.check()).every(Boolean),
    /** Saves one list after the other, and names the first that was refused. @throws DataError */
    save: async (parent: Row): Promise<string | null> => {
      for (const handle of handles.current.values()) {
        if (!(await handle.save(parent))) return handle.name
      }
      isDone.current = true
      return null
    },
  }
}
