import { useCallback, useEffect, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { Definition } from '@/resource/definition/definition.generated'
import type { SavedView } from '@/resource/preferences/list-settings'
import { findDefinition } from '@/resource/registry'
import { type ListState, NO_VIEW, parseListState, writeListState } from '@/resource/screens/list/list-state'
import { viewState } from '@/resource/views/view-state'

/**
 * The list's state is its URL; there is no second copy that could disagree. A bare URL opens with the default
 * view, which is written into it at once: a link then says what its sender saw.
 */
export function useListState(definition: Definition, initial: SavedView | undefined) {
  const [params, setParams] = useSearchParams()
  const opening = params.size === 0 ? initial : undefined
  const state = useMemo(
    () =>
      opening
        ? viewState(opening, definition, findDefinition)
        : parseListState(params, definition, findDefinition),
    [params, definition, opening],
  )
  const hasDefault = initial !== undefined
  const setState = useCallback(
    (next: ListState, options: { replace?: boolean } = {}) =>
      setParams(
        (before) => {
          const after = writeListState(next, definition)
          // A list cleared of everything stays so; bare, its URL would open the default view again.
          if (hasDefault && after.size === 0) after.set('saved', NO_VIEW)
          // On a record the list is in one of the tabs, and that tab stays selected.
          const tab = before.get('tab')
          if (tab !== null) after.set('tab', tab)
          return after
        },
        { replace: options.replace ?? false },
      ),
    [setParams, definition, hasDefault],
  )
  useEffect(() => {
    if (opening) setState(state, { replace: true })
  }, [opening, state, setState])
  return { state, setState }
}
