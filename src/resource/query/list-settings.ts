import type { Definition } from '@/resource/definition/definition.generated'
import type { FindDefinition } from '@/resource/definition/entry'
import { type ColumnChoice, checkColumns, readColumns } from '@/resource/query/column-choice'
import type { ListState } from '@/resource/query/list-state'

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
