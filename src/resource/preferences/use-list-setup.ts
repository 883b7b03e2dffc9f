import { useMemo } from 'react'
import type { Definition } from '@/resource/definition/definition.generated'
import { type ColumnChoice, checkColumns } from '@/resource/preferences/column-choice'
import {
  chosenColumns,
  type Density,
  preferenceOf,
  type SavedView,
} from '@/resource/preferences/list-settings'
import { useListSettings } from '@/resource/preferences/settings-query'
import { useSavePreference } from '@/resource/preferences/use-save-preference'
import type { ResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'
import { declaredColumns, type ListColumn, listColumns } from '@/resource/screens/list/columns'
import type { ListState } from '@/resource/screens/list/list-state'
import { useListState } from '@/resource/screens/list/use-list-state'
import { defaultView, viewsOf } from '@/resource/views/view-state'

export interface ListSetup {
  state: ListState
  setState: (next: ListState, options?: { replace?: boolean }) => void
  /** What the table shows, the company among them where all are in view. */
  columns: ListColumn[]
  /** The same as somebody may change them. */
  choice: readonly ColumnChoice[]
  /** The definition's own. */
  usual: readonly ColumnChoice[]
  /** Null goes back to the usual ones. */
  setColumns: (columns: readonly ColumnChoice[] | null) => void
  density: Density
  setDensity: (density: Density) => void
  views: readonly SavedView[]
  /** The saved view that the list was opened with, if its reader may see it. */
  chosen: SavedView | undefined
}

const NO_VIEWS: readonly SavedView[] = []

/** How a list stands: its URL, and what its reader keeps for it. Under a record it stands as defined. */
export function useListSetup(definition: Definition, scope: ResourceScope, under?: string): ListSetup {
  const settings = useListSettings()
  const save = useSavePreference(definition.name)
  const isWhole = under === undefined
  const views = useMemo(
    () => (isWhole ? viewsOf(settings, definition.name) : NO_VIEWS),
    [settings, definition.name, isWhole],
  )
  const { state, setState } = useListState(definition, defaultView(views))
  const chosen = views.find(({ id }) => id === state.saved)
  const own = isWhole ? chosenColumns(definition, state, settings, findDefinition) : null
  const columns = listColumns(definition, scope.companyId, findDefinition, under, own)
  const declared = useMemo(() => {
    const fields = declaredColumns(definition).map(({ field }) => ({ field }))
    return checkColumns(fields, definition, findDefinition) ?? []
  }, [definition])
  return {
    state,
    setState,
    columns,
    choice: own ?? declared,
    usual: declared,
    // With a view the columns are the view's, and stand in the address until they are saved with it.
    setColumns: (next) =>
      chosen || state.columns
        ? setState({ ...state, columns: next ?? (chosen ? declared : null) }, { replace: true })
        : save({ columns: next }),
    density: preferenceOf(settings, definition.name)?.density ?? 'comfortable',
    setDensity: (density) => save({ density }),
    views,
    chosen,
  }
}
