import type { Definition, Filter, List } from '@/resource/language/definition.generated'
import type { FindDefinition } from '@/resource/language/entry'
import { listOf } from '@/resource/language/naming'
import { filterField } from '@/resource/request/filter/from-url'
import { parseWhere } from '@/resource/request/filter/where'
import { type ColumnChoice, checkColumns, parseColumns, writeColumns } from '@/resource/request/query/columns'

export interface ListSort {
  field: string
  descending: boolean
}

/** The row that the page follows or precedes: see `data/keyset.ts`. */
export interface ListCursor {
  way: 'after' | 'before'
  key: string
}

export type Layout = NonNullable<List['layouts']>[number]

/** The state of a list, as its URL holds it: a link opens the same list, and Back restores it. */
export interface ListState {
  q: string
  view: string | null
  /**
   * The id of the saved view it was opened with, `none` for the plain list; null applies the default view.
   */
  saved: string | null
  /** Null is the person's own choice, or the definition's. */
  columns: readonly ColumnChoice[] | null
  /** In order of precedence; empty means the view's or the list's own order. */
  sort: readonly ListSort[]
  /** From 1. With a cursor it is only for display: the cursor decides where the page starts. */
  page: number
  cursor: ListCursor | null
  pageSize: number
  /** Raw values by field; what they mean is the field kind's. */
  filters: Readonly<Record<string, string>>
  /** The advanced filter, all of it checked. */
  where: Filter | null
  /**
   * The raw `where` parameter when it failed to parse. It stays in the address until the user removes it, and
   * is never sent.
   */
  badWhere: string | null
  layout: Layout
  /** The month of the calendar, `2026-11`; null is the current one. */
  at: string | null
}

/** The page size of a list that loads as it is scrolled. It is read in pieces. */
export const SCROLL_SIZE = 10_000
export const PAGE_SIZES = [10, 20, 50, 100, 500, 1000, SCROLL_SIZE] as const
/** The address's name for that size. */
const SCROLL = 'scroll'
/** The plain list, requested explicitly when there is a default view. */
export const NO_VIEW = 'none'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
/** Beyond that nobody can tell what a further column does. */
export const MAX_SORTS = 4
/** A page without a cursor is found by reading everything before it, so it is limited to this many rows. */
const MAX_SKIPPED = 10_000
const CURSOR = /^[A-Za-z0-9_-]{1,2000}$/
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/

export function lastPage(pageSize: number): number {
  return Math.floor(MAX_SKIPPED / pageSize) + 1
}

/** `-opened_at,name` */
export function parseSort(text: string | null | undefined): ListSort[] {
  const sorts = new Map<string, ListSort>()
  for (const part of (text ?? '').split(',')) {
    const field = part.replace(/^-/, '')
    if (field !== '' && !sorts.has(field)) sorts.set(field, { field, descending: part.startsWith('-') })
  }
  return [...sorts.values()].slice(0, MAX_SORTS)
}

export function writeSort(sorts: readonly ListSort[]): string {
  return sorts.map(({ field, descending }) => `${descending ? '-' : ''}${field}`).join()
}

/** The first press sorts by the column alone; the next one reverses it. */
export function sortBy(sorts: readonly ListSort[], field: string): ListSort[] {
  const [only, second] = sorts
  const isTurning = only?.field === field && second === undefined
  return [{ field, descending: isTurning && !only.descending }]
}

/** Adds the column to the sort, then reverses it, then removes it. */
export function sortFurtherBy(sorts: readonly ListSort[], field: string): ListSort[] {
  const known = sorts.find((sort) => sort.field === field)
  if (!known) return sorts.length < MAX_SORTS ? [...sorts, { field, descending: false }] : [...sorts]
  if (known.descending) return sorts.filter((sort) => sort !== known)
  return sorts.map((sort) => (sort === known ? { field, descending: true } : sort))
}

function positive(text: string | null, fallback: number): number {
  const number = Number(text)
  return Number.isInteger(number) && number > 0 && number < 10_000_000 ? number : fallback
}

function parseSaved(text: string | null): string | null {
  return text !== null && (text === NO_VIEW || UUID.test(text)) ? text : null
}

function parseCursor(params: URLSearchParams): ListCursor | null {
  for (const way of ['after', 'before'] as const) {
    const key = params.get(way)
    if (key !== null && CURSOR.test(key)) return { way, key }
  }
  return null
}

/** PostgreSQL refuses it in every text; a shared view that holds one must not close the list to its readers. */
const NUL = '\0'

/** The ways in which a list can be shown, the one that it opens in first. */
export function layoutsOf(definition: Definition): readonly Layout[] {
  return listOf(definition)?.layouts ?? ['table']
}

/** The layout that a view opens in: its own, else that of the list. */
export function layoutOf(definition: Definition, view: string | null): Layout {
  const own = view === null ? undefined : listOf(definition)?.views?.[view]?.layout
  return own ?? layoutsOf(definition)[0] ?? 'table'
}

/** Anyone can edit a URL: what the definition does not offer is ignored and never sent. */
export function parseListState(
  params: URLSearchParams,
  definition: Definition,
  find: FindDefinition,
): ListState {
  const list = listOf(definition) ?? {}
  const asked = params.get('view')
  const view = asked !== null && list.views && Object.hasOwn(list.views, asked) ? asked : null
  const filters: Record<string, string> = {}
  for (const [name, value] of params) {
    const text = value.replaceAll(NUL, '')
    if (text === '' || !filterField(definition, name, find)) continue
    filters[name] = text
  }
  const defaultSize = list.page_size ?? 50
  const size = params.get('pageSize')
  const wanted = size === SCROLL ? SCROLL_SIZE : positive(size, defaultSize)
  const pageSize = (PAGE_SIZES as readonly number[]).includes(wanted) ? wanted : defaultSize
  const cursor = parseCursor(params)
  const page = positive(params.get('page'), 1)
  const written = params.get('where')
  const where = written ? parseWhere(written, definition) : null
  const layouts = layoutsOf(definition)
  const at = params.get('in')
  return {
    q: (params.get('q') ?? '').replaceAll(NUL, '').slice(0, 200),
    view,
    saved: parseSaved(params.get('saved')),
    columns: checkColumns(parseColumns(params.get('columns')), definition, find),
    sort: parseSort(params.get('sort')).filter(({ field }) => definition.fields[field]?.sort),
    page: cursor ? page : Math.min(page, lastPage(pageSize)),
    cursor,
    pageSize,
    filters,
    where,
    badWhere: where ? null : written || null,
    layout: layouts.find((each) => each === params.get('as')) ?? layoutOf(definition, view),
    at: at !== null && MONTH.test(at) ? at : null,
  }
}

/** The shortest equivalent URL: defaults are omitted. */
export function writeListState(state: ListState, definition: Definition): URLSearchParams {
  const params = new URLSearchParams()
  if (state.q) params.set('q', state.q)
  if (state.view) params.set('view', state.view)
  if (state.saved) params.set('saved', state.saved)
  if (state.columns) params.set('columns', writeColumns(state.columns))
  if (state.sort.length > 0) params.set('sort', writeSort(state.sort))
  if (state.page > 1) params.set('page', String(state.page))
  if (state.cursor) params.set(state.cursor.way, state.cursor.key)
  if (state.pageSize !== (listOf(definition)?.page_size ?? 50))
    params.set('pageSize', state.pageSize === SCROLL_SIZE ? SCROLL : String(state.pageSize))
  for (const [name, value] of Object.entries(state.filters)) if (value !== '') params.set(name, value)
  const where = state.where ? JSON.stringify(state.where) : state.badWhere
  if (where) params.set('where', where)
  if (state.layout !== layoutOf(definition, state.view)) params.set('as', state.layout)
  if (state.layout === 'calendar' && state.at) params.set('in', state.at)
  return params
}

/** A different search or filter starts at the first page. */
export function changeList(state: ListState, change: Partial<ListState>): ListState {
  return { ...state, page: 1, cursor: null, ...change }
}

export function isNarrowed(state: ListState): boolean {
  return (
    state.q !== '' || state.view !== null || state.where !== null || Object.keys(state.filters).length > 0
  )
}
