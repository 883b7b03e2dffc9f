import { type BaseRecord, type HttpError, useCreate } from '@refinedev/core'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import {
  type ColumnChoice,
  checkColumns,
  declaredColumns,
  type ListColumn,
  listColumns,
} from '@/resource/request/query/columns'
import { listFilter } from '@/resource/request/query/list-request'
import { type ListState, NO_VIEW, parseListState, writeListState } from '@/resource/request/query/list-state'
import {
  cachedSettings,
  chosenColumns,
  type Density,
  defaultView,
  type ListPreference,
  type ListSettings,
  openingState,
  openViews,
  preferenceOf,
  type SavedView,
  SETTINGS,
  useListSettings,
  viewsOf,
} from '@/resource/request/query/saved-views'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useErrorText } from '@/resource/use-error-text'

/**
 * The list's state is its URL; there is no second copy that could disagree. A bare URL opens with the default
 * view, which is written into it at once: a link then says what its sender saw.
 */
function useListState(
  definition: Definition,
  initial: SavedView | undefined,
  isWhole: boolean,
  kept: readonly string[],
) {
  const [params, setParams] = useSearchParams()
  const can = useCan()
  const initialState = useMemo(
    () => (isWhole ? openingState(initial, definition, findDefinition, can) : null),
    [isWhole, initial, definition, can],
  )
  const opening = params.size === 0 ? initialState : null
  const state = useMemo(() => {
    const asked = opening ?? parseListState(params, definition, findDefinition)
    // A link may name a view that is not for its reader: the strip of views would show none as chosen.
    const isOpen = asked.view === null || openViews(definition, can).includes(asked.view)
    return isOpen ? asked : { ...asked, view: null }
  }, [params, definition, opening, can])
  const hasDefault = initialState !== null
  const setState = useCallback(
    (next: ListState, options: { replace?: boolean } = {}) =>
      setParams(
        (before) => {
          const after = writeListState(next, definition)
          // A list cleared of everything stays so; bare, its URL would open the default view again.
          if (hasDefault && after.size === 0) after.set('saved', NO_VIEW)
          for (const name of kept) {
            const value = before.get(name)
            if (value !== null) after.set(name, value)
          }
          return after
        },
        { replace: options.replace ?? false },
      ),
    [setParams, definition, hasDefault, kept],
  )
  useEffect(() => {
    if (opening) setState(state, { replace: true })
  }, [opening, state, setState])
  return { state, setState }
}

type Change = Partial<Omit<ListPreference, 'resource'>>

/** Keeps how a user likes a list. It shows at once; the server follows, in the order of the changes. */
function useSavePreference(resource: string): (change: Change) => void {
  const cache = useCache()
  const errorText = useErrorText()
  const { mutate } = useCreate<BaseRecord, HttpError, Change & { resource: string }>({
    resource: 'list_preferences',
    meta: { onConflict: 'user_id,resource', select: 'resource' },
    invalidates: [],
    successNotification: false,
    errorNotification: (error) => ({ type: 'error', message: errorText(error) }),
    mutationOptions: { scope: { id: 'list-preferences' } },
  })
  return (change) => {
    const settings = cachedSettings(cache)
    // Nothing to change until the settings have loaded.
    if (settings) {
      const before = preferenceOf(settings, resource) ?? { resource, columns: null, density: 'comfortable' }
      cache.writeRpc<ListSettings>(SETTINGS, {
        ...settings,
        preferences: [
          ...settings.preferences.filter((each) => each.resource !== resource),
          { ...before, ...change },
        ],
      })
    }
    // The change and no more: before the settings are read, what else is kept there is not known.
    mutate(
      { values: { resource, ...change } },
      {
        onSuccess: () => (settings ? undefined : cache.rereadRpc(SETTINGS)),
        onError: () => cache.rereadRpc(SETTINGS),
      },
    )
  }
}

export interface ListSetup {
  state: ListState
  setState: (next: ListState, options?: { replace?: boolean }) => void
  /** The columns of the table, the company among them where all are in view. */
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

/** On a record the list is in one of the tabs, and that tab stays selected. */
const KEPT = ['tab']

/** Describes a list that shows a part of its resource's rows, such as those of one record. */
export interface PartSetup {
  /** The field that all rows have in common, whose column would say the same in every row. */
  without?: string
  /** Parameters of the address that belong to the page around the list; `tab` by default. */
  kept?: readonly string[]
}

/** A list's state from its URL and the reader's settings. A part of a list is as defined. */
export function useListSetup(definition: Definition, scope: ResourceScope, part?: PartSetup): ListSetup {
  const settings = useListSettings()
  const save = useSavePreference(definition.name)
  const isWhole = part === undefined
  const views = useMemo(
    () => (isWhole ? viewsOf(settings, definition.name) : NO_VIEWS),
    [settings, definition.name, isWhole],
  )
  const { state, setState } = useListState(definition, defaultView(views), isWhole, part?.kept ?? KEPT)
  const chosen = views.find(({ id }) => id === state.saved)
  const own = isWhole ? chosenColumns(definition, state, settings, findDefinition) : null
  const columns = listColumns(definition, scope.companyId, findDefinition, part?.without, own)
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
    // With a view the columns are the view's; they are in the address until they are saved with it.
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
  /** How many of them are on another page, or left the list since they were selected. */
  unseen: number
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

/** Selected rows with their contents: the selection survives paging, sorting and searching, and ends with its filter. */
export function useSelection({ definition, state, extra, visible }: SelectionOf): Selection {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map())
  const [allOf, setAllOf] = useState<string | null>(null)
  const filter = listFilter(definition, state, { find: findDefinition, extra })
  const filterKey = JSON.stringify(filter)
  const [chosenOf, setChosenOf] = useState(filterKey)
  // Another filter or quick view lists other rows: nobody acts on some that they left behind.
  if (chosenOf !== filterKey) {
    setChosenOf(filterKey)
    setChosen(new Map())
  }

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

  // "All" refers to one filter and one selection: a change of either ends it.
  const meant = JSON.stringify([filterKey, state.q, rows.length])
  return {
    rows,
    unseen: rows.length - visible.filter(isSelected).length,
    filter,
    isAll: rows.length > 0 && allOf === meant,
    isSelected,
    toggle,
    toggleAll,
    chooseAll: () => setAllOf(meant),
    clear,
  }
}
