import type { Can } from '@/access/policy'
import type { Cache } from '@/refine/use-cache'
import { useRpc } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import type { FindDefinition } from '@/resource/language/entry'
import { listOf } from '@/resource/language/naming'
import { type ColumnChoice, checkColumns, readColumns } from '@/resource/request/query/columns'
import {
  changeList,
  type ListState,
  layoutOf,
  parseListState,
  writeListState,
} from '@/resource/request/query/list-state'

export type Density = 'comfortable' | 'compact'
export type ViewScope = 'mine' | 'role' | 'company'

/** As the server keeps it: nothing of its state is to be believed before the definition has been asked. */
export interface SavedView {
  id: string
  resource: string
  name: string
  scope: ViewScope
  role: string | null
  state: { query?: unknown }
  is_default: boolean
  version: number
  is_mine: boolean
}

export interface ListPreference {
  resource: string
  columns: unknown
  density: Density
}

export interface ListSettings {
  preferences: ListPreference[]
  views: SavedView[]
}

export function preferenceOf(
  settings: ListSettings | undefined,
  resource: string,
): ListPreference | undefined {
  return settings?.preferences.find((each) => each.resource === resource)
}

/** The columns chosen for a list: the address's, else the person's; null is the definition's own. */
export function chosenColumns(
  definition: Definition,
  state: Pick<ListState, 'columns'>,
  settings: ListSettings | undefined,
  find: FindDefinition,
): readonly ColumnChoice[] | null {
  if (state.columns) return state.columns
  return checkColumns(readColumns(preferenceOf(settings, definition.name)?.columns), definition, find)
}

/** A person's own, whatever company is in view; the cache is emptied with the person. */
export const SETTINGS = { name: 'my_list_settings' }

const KEPT = { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY }

/** All lists share one request per session. A list that is there first paints as its definition says. */
export function prefetchListSettings(cache: Cache): void {
  void cache.prefetchRpc(SETTINGS, KEPT)
}

export function useListSettings(): ListSettings | undefined {
  return useRpc<ListSettings>(SETTINGS, KEPT).data
}

export function cachedSettings(cache: Cache): ListSettings | undefined {
  return cache.cachedRpc<ListSettings>(SETTINGS)
}

export function viewsOf(settings: ListSettings | undefined, resource: string): SavedView[] {
  return (settings?.views ?? []).filter((view) => view.resource === resource)
}

/** The declared views whose permission the reader has, in order. */
export function openViews(definition: Definition, can: Can): string[] {
  return Object.entries(listOf(definition)?.views ?? {}).flatMap(([name, { policy }]) =>
    policy === undefined || can(policy.object, policy.verb).allowed ? [name] : [],
  )
}

/** How a list opens without an address that says more: the saved default view, else the declared one; null for neither. */
export function openingState(
  saved: SavedView | undefined,
  definition: Definition,
  find: FindDefinition,
  can: Can,
): ListState | null {
  if (saved) return viewState(saved, definition, find)
  const view = listOf(definition)?.default_view
  if (view === undefined || !openViews(definition, can).includes(view)) return null
  return parseListState(new URLSearchParams({ view }), definition, find)
}

const NEAREST = ['mine', 'role', 'company'] as const

/** The view that a list opens with: one's own default, else the role's, else the company's. */
export function defaultView(views: readonly SavedView[]): SavedView | undefined {
  for (const scope of NEAREST) {
    const found = views.find((view) => view.is_default && view.scope === scope)
    if (found) return found
  }
  return undefined
}

/** The list as a saved view shows it: read like an address, so that nothing unknown gets through. */
export function viewState(view: SavedView, definition: Definition, find: FindDefinition): ListState {
  const query = typeof view.state?.query === 'string' ? view.state.query : ''
  const state = parseListState(new URLSearchParams(query), definition, find)
  return changeList(state, { saved: view.id })
}

/** The part of a list that a view saves: everything but the position in it, with columns by name. */
export function viewQuery(
  state: ListState,
  columns: readonly ColumnChoice[] | null,
  definition: Definition,
): string {
  const params = writeListState(
    changeList(state, { saved: null, columns, badWhere: null, at: null }),
    definition,
  )
  // The order in which filters were set makes no difference.
  params.sort()
  return params.toString()
}

/** Whether the list shows something else than the view it was opened with. */
export function isChanged(
  state: ListState,
  chosen: SavedView | undefined,
  definition: Definition,
  find: FindDefinition,
): boolean {
  const before = chosen
    ? viewState(chosen, definition, find)
    : parseListState(new URLSearchParams(state.view ? { view: state.view } : {}), definition, find)
  return viewQuery(state, state.columns, definition) !== viewQuery(before, before.columns, definition)
}

/**
 * A quick view narrows what is there further; out of a saved view it leads back to the plain list. The layout is that of
 * the view, and one that a view brought along ends with it.
 */
export function quickView(
  state: ListState,
  view: string | null,
  isSaved: boolean,
  definition: Definition,
  find: FindDefinition,
): ListState {
  const from = isSaved ? parseListState(new URLSearchParams(), definition, find) : state
  const before = layoutOf(definition, from.view)
  const next = layoutOf(definition, view)
  return changeList(from, { view, saved: null, ...(next === before ? {} : { layout: next }) })
}
