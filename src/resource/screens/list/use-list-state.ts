import { useCallback, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { Definition } from '@/resource/definition/definition.generated'
import { findDefinition } from '@/resource/registry'
import { type ListState, parseListState, writeListState } from '@/resource/screens/list/list-state'

/** The list's state is its URL; there is no second copy that could disagree. */
export function useListState(definition: Definition) {
  const [params, setParams] = useSearchParams()
  const state = useMemo(() => parseListState(params, definition, findDefinition), [params, definition])
  const setState = useCallback(
    (next: ListState, options: { replace?: boolean } = {}) =>
      setParams(
        (before) => {
          const after = writeListState(next, definition)
          // On a record the list stands in one of its tabs, and the tab stays chosen.
          const tab = before.get('tab')
          if (tab !== null) after.set('tab', tab)
          return after
        },
        { replace: options.replace ?? false },
      ),
    [setParams, definition],
  )
  return { state, setState }
}
