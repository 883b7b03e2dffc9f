import type { Definition, Field } from '@/resource/definition/definition.generated'
import { listOf } from '@/resource/definition/naming'

export interface ListSort {
  field: string
  descending: boolean
}

/** Everything a list shows, as its URL says it: a link is the list, and Back is the list as it was. */
export interface ListState {
  q: string
  view: string | null
  sort: ListSort | null
  /** From 1. */
  page: number
  pageSize: number
  /** Raw values by field; what they mean is the field kind's. */
  filters: Readonly<Record<string, string>>
}

export const PAGE_SIZES = [10, 20, 50, 100] as const
const RESERVED = new Set(['q', 'view', 'sort', 'page', 'pageSize', 'tab'])

export function isFilterable(field: Field | undefined): field is Field {
  return field?.filter === true
}

export function parseSort(text: string | null | undefined): ListSort | null {
  if (!text) return null
  return text.startsWith('-')
    ? { field: text.slice(1), descending: true }
    : { field: text, descending: false }
}

export function writeSort(sort: ListSort | null): string {
  return sort ? `${sort.descending ? '-' : ''}${sort.field}` : ''
}

function positive(text: string | null, fallback: number): number {
  const number = Number(text)
  return Number.isInteger(number) && number > 0 && number < 10_000_000 ? number : fallback
}

/** Anybody may type a URL: what the definition does not offer is ignored, never sent. */
export function parseListState(params: URLSearchParams, definition: Definition): ListState {
  const list = listOf(definition) ?? {}
  const view = params.get('view')
  const asked = parseSort(params.get('sort'))
  const filters: Record<string, string> = {}
  for (const [name, value] of params) {
    if (RESERVED.has(name) || value === '' || !isFilterable(definition.fields[name])) continue
    filters[name] = value
  }
  const defaultSize = list.page_size ?? 50
  const size = positive(params.get('pageSize'), defaultSize)
  return {
    q: (params.get('q') ?? '').slice(0, 200),
    view: view !== null && list.views && Object.hasOwn(list.views, view) ? view : null,
    sort: asked && definition.fields[asked.field]?.sort ? asked : null,
    page: positive(params.get('page'), 1),
    pageSize: (PAGE_SIZES as readonly number[]).includes(size) ? size : defaultSize,
    filters,
  }
}

/** The shortest URL that says the same: what is as by default stays out of it. */
export function writeListState(state: ListState, definition: Definition): URLSearchParams {
  const params = new URLSearchParams()
  if (state.q) params.set('q', state.q)
  if (state.view) params.set('view', state.view)
  if (state.sort) params.set('sort', writeSort(state.sort))
  if (state.page > 1) params.set('page', String(state.page))
  if (state.pageSize !== (listOf(definition)?.page_size ?? 50)) params.set('pageSize', String(state.pageSize))
  for (const [name, value] of Object.entries(state.filters)) if (value !== '') params.set(name, value)
  return params
}

/** What narrows the list differently starts again at its first page. */
export function changeList(state: ListState, change: Partial<ListState>): ListState {
  return { ...state, page: 1, ...change }
}

export function isNarrowed(state: ListState): boolean {
  return state.q !== '' || state.view !== null || Object.keys(state.filters).length > 0
}
