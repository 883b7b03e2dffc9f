import type { Definition, Filter, List } from '@/resource/language/definition.generated'
import { hintFor } from '@/resource/language/inspect/hint'
import type { Inspection } from '@/resource/language/inspect/inspection'
import { listOf } from '@/resource/language/naming'

/** The places of a filter that name `$record`. */
function recordPlaces(pointer: string, value: unknown): [pointer: string, variable: string][] {
  if (typeof value === 'string') return value.startsWith('$record.') ? [[pointer, value]] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => recordPlaces(`${pointer}/${key}`, inner))
}

function inspectListFilter(inspection: Inspection, pointer: string, filter: Filter | undefined): void {
  inspection.filter(pointer, filter)
  for (const [place, variable] of recordPlaces(pointer, filter))
    inspection.add(
      place,
      `\`${variable}\` has no meaning here: a list is filtered before there is a record`,
      'Compare with a value, `$user` or `$now`.',
    )
}

function inspectViews(inspection: Inspection, list: List | null): void {
  const seen = new Map<string, string>()
  for (const [view, { label: _label, ...shown }] of Object.entries(list?.views ?? {})) {
    inspectListFilter(inspection, `/list/views/${view}/filter`, shown.filter)
    inspection.sort(`/list/views/${view}/sort`, shown.sort)
    const first = seen.get(JSON.stringify(shown))
    if (first !== undefined)
      inspection.add(
        `/list/views/${view}`,
        `the view \`${view}\` shows the same as \`${first}\``,
        'Remove one, or change its filter.',
      )
    else seen.set(JSON.stringify(shown), view)
  }
  const views = Object.keys(list?.views ?? {})
  const opened = list?.default_view
  if (opened !== undefined && !views.includes(opened))
    inspection.add('/list/default_view', `no view \`${opened}\``, hintFor(opened, views))
}

/** Checks the names in the list of a resource. */
export function inspectList(inspection: Inspection, definition: Definition): void {
  const list = listOf(definition)
  const seen = new Set<string>()
  for (const [index, column] of (list?.columns ?? []).entries()) {
    const pointer = `/list/columns/${index}`
    const path = typeof column === 'string' ? column : column.field
    if (seen.has(path)) inspection.add(pointer, `the list has the column \`${path}\` twice`, 'Remove one.')
    seen.add(path)
    if (typeof column === 'string') inspection.column(pointer, column)
    else {
      inspection.column(`${pointer}/field`, column.field)
      for (const [place, name] of (column.with ?? []).entries()) {
        inspection.column(`${pointer}/with/${place}`, name)
        if (name === path)
          inspection.add(`${pointer}/with/${place}`, `the column shows \`${name}\` already`, 'Remove it.')
      }
    }
  }
  inspection.sort('/list/sort', list?.sort)
  inspectListFilter(inspection, '/list/filter', list?.filter)
  inspectListFilter(inspection, '/list/default_filter', list?.default_filter)
  inspectViews(inspection, list)
  const searched = Object.entries(definition.fields).find(([, { search }]) => search === true)?.[0]
  if (list?.search === false && searched !== undefined)
    inspection.add(
      '/list/search',
      `the list has no search, and the field \`${searched}\` has \`"search": true\``,
      'Remove one of the two.',
    )
}
