import type { Definition, Form, List, Related, Show } from '@/resource/language/definition.generated'

type Named = Pick<Definition, 'name' | 'route' | 'singular' | 'table' | 'create_below_list'>

/** Path segment of the list, without its slash. */
export function routeOf(definition: Named): string {
  return definition.route ?? definition.name.replaceAll('_', '-')
}

/** `companies` → `company`, `patches` → `patch`, `devices` → `device`; `singular` overrides it. */
export function singularOf(definition: Named): string {
  if (definition.singular) return definition.singular
  const { name } = definition
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`
  if (/(ch|sh|x|ss|zz)es$/.test(name)) return name.slice(0, -2)
  return name.endsWith('s') ? name.slice(0, -1) : name
}

export function tableOf(definition: Named): string {
  return definition.table ?? definition.name
}

export function listPath(definition: Named): string {
  return `/${routeOf(definition)}`
}

export function showPath(definition: Named, id: string): string {
  return `/${routeOf(definition)}/${encodeURIComponent(id)}`
}

/** The page a row of the list leads to: the record's own, or that of another resource over the same table. */
export function recordPath(definition: Definition, id: string): string | null {
  const opens = listOf(definition)?.opens
  if (opens) return `/${opens}/${encodeURIComponent(id)}`
  return hasShow(definition) ? showPath(definition, id) : null
}

/** The page of a record that was just created. */
export function createdPath(definition: Definition, id: string): string {
  const path = showPath(definition, id)
  const tab = formOf(definition)?.after_create_tab
  if (!tab) return path
  return hasTabPath(definition, tab) ? `${path}/${tab}` : `${path}?tab=${tab}`
}

export function editPath(definition: Named, id: string): string {
  return `${showPath(definition, id)}/edit`
}

export function createPath(definition: Named): string {
  const page = `/create-${singularOf(definition).replaceAll('_', '-')}`
  return definition.create_below_list ? `${listPath(definition)}${page}` : page
}

export function isReadOnly(definition: Definition): boolean {
  return definition.form === false
}

export function canCreate(definition: Definition): boolean {
  return !isReadOnly(definition) && definition.create !== false
}

export function canEdit(definition: Definition): boolean {
  return !isReadOnly(definition) && definition.edit !== false
}

export function canDelete(definition: Definition): boolean {
  return definition.delete !== false
}

/**
 * Whether records can be imported: only where they are written directly, not by a function or a custom form.
 */
export function canImport(definition: Definition): boolean {
  if (definition.import === false || formOf(definition)?.component) return false
  return canCreate(definition) || canEdit(definition)
}

/** Whether a record can be duplicated: its page offers it, and it has a form. */
export function canDuplicate(definition: Definition): boolean {
  return canCreate(definition) && definition.duplicate !== false && !formOf(definition)?.component
}

export function duplicatePath(definition: Definition, id: string): string {
  return `${createPath(definition)}?duplicate=${encodeURIComponent(id)}`
}

export function hasShow(definition: Definition): boolean {
  return definition.show !== false
}

/** The settings of a screen: empty when the definition has none, null when the screen does not exist. */
export function listOf(definition: Definition): List | null {
  return definition.list === false ? null : (definition.list ?? {})
}

/** Parameters of a list's address: a field of that name could not be filtered by. */
export const LIST_PARAMS: ReadonlySet<string> = new Set([
  'q',
  'view',
  'saved',
  'columns',
  'sort',
  'where',
  'page',
  'pageSize',
  'after',
  'before',
  'tab',
  // Words of SQL, which name no field anyway.
  'as',
  'in',
])

export function showOf(definition: Definition): Show | null {
  return definition.show === false ? null : (definition.show ?? {})
}

/** The name of a related list's tab: the resource's, with the field where an earlier list has the same resource. */
export function relatedTab(lists: readonly Related[], related: Related): string {
  const first = lists.find(({ resource }) => resource === related.resource)
  return first?.by === related.by ? related.resource : `${related.resource}.${related.by}`
}

/** The related list that a tab of a record shows. */
export function relatedAt(definition: Definition, tab: string): Related | undefined {
  const lists = showOf(definition)?.related ?? []
  return lists.find((related) => relatedTab(lists, related) === tab)
}

export function formOf(definition: Definition): Form | null {
  return definition.form === false ? null : (definition.form ?? {})
}

/** Tabs of a record that have an address of their own. */
export function tabPaths(definition: Definition): string[] {
  const show = showOf(definition)
  return show?.tab_urls ? Object.keys(show.tabs ?? {}) : []
}

export function hasTabPath(definition: Definition, tab: string): boolean {
  return tabPaths(definition).includes(tab)
}

/** The export of a `component`'s file: `jobs/run-dialog` → `RunDialog`. */
export function componentExport(name: string): string {
  const file = name.split('/').at(-1) ?? name
  return file.replace(/(^|-)(\w)/g, (_all, _dash, letter: string) => letter.toUpperCase())
}

/** The resource by which the records of another are called: everybody may read names of people, few may read accounts. */
export const namesOf = (resource: string): string => (resource === 'users' ? 'people' : resource)
