import type { Language } from '@/i18n/language'
import { valueKindOf } from '@/resource/fields/kinds'
import type { Dashboard, Definition, Figure, Filter } from '@/resource/language/definition.generated'
import { matchingFilter } from '@/resource/request/filter/matching-filter'
import { toWhere } from '@/resource/request/filter/where'
import { viewFilter } from '@/resource/request/query/list-request'
import { changeList, type ListState } from '@/resource/request/query/list-state'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { addDays, addMonths } from '@/resource/screens/list/layouts/month'

export interface Point {
  key: string | null
  value: number | null
}

/** The figure of each row, of each column, of each cell and of all; `of` is how many rows there are. */
export interface TableAnswer {
  rows: Point[]
  columns: Point[]
  cells: [row: string | null, column: string | null, value: number | null][]
  value: number | null
  of: number
}

export type Answer = { value: number | null; of?: number } | Point[] | TableAnswer

export const isTable = (answer: Answer): answer is TableAnswer => 'cells' in answer

/** Whether the figure is by periods of a date: of its `by`, or of its `across`. */
export function isPeriodic(definition: Definition, { show, across }: Figure): boolean {
  if (show !== 'table') return show === 'series'
  const field = across ? definition.fields[across] : undefined
  return field !== undefined && ['date', 'instant'].includes(valueKindOf(field).compare)
}

export const isCount = (figure: Figure): boolean => (figure.measure ?? 'count') === 'count'

/**
 * The fields whose conditions in a view a figure does not follow: those that it `ignores`, and those that its own
 * filter is about with another condition. Both together would count nothing, or what the figure's name does not say.
 */
export function ignoredFields({ ignores, filter }: Figure, view: Filter): string[] {
  return Object.entries(view).flatMap(([name, condition]) => {
    if (name.startsWith('_')) return []
    const own = filter?.[name]
    const isReplaced = own !== undefined && JSON.stringify(own) !== JSON.stringify(condition)
    return isReplaced || ignores?.includes(name) ? [name] : []
  })
}

/** The fields whose conditions in the view some figure does not follow; each other one takes them by itself. */
export const separateFields = (dashboard: Dashboard, view: Filter): string[] => [
  ...new Set(Object.values(dashboard).flatMap((figure) => ignoredFields(figure, view))),
]

/** The part of a view that a figure follows, of the conditions on `fields`. */
function followedPart(figure: Figure, view: Filter, fields: readonly string[]): Filter {
  const ignored = ignoredFields(figure, view)
  return Object.fromEntries(
    Object.entries(view).filter(([name]) => fields.includes(name) && !ignored.includes(name)),
  )
}

/** The figures as `list_figures()` takes them, where the list is asked for without the view's `separateFields`. */
export function askedFigures(
  definition: Definition,
  dashboard: Dashboard,
  scope: ResourceScope,
  view: Filter = {},
): Record<string, object> {
  const separate = separateFields(dashboard, view)
  const sql = (filter: Filter | undefined) => matchingFilter(definition, filter ?? {}, null, scope.filter)
  return Object.fromEntries(
    Object.entries(dashboard).map(([name, figure]) => {
      const { label: _label, ignores: _ignores, filter, part, every = 'week', ...rest } = figure
      const followed = viewFilter(definition, followedPart(figure, view, separate))
      return [
        name,
        {
          ...rest,
          ...(isPeriodic(definition, figure) ? { every } : {}),
          filter: sql({ ...followed, ...filter }),
          ...(part ? { part: sql(part) } : {}),
        },
      ]
    }),
  )
}

/** The day after a period that begins on `start`. */
function periodEnd(start: string, every: Figure['every']): string {
  if (every === 'day') return addDays(start, 1)
  return every === 'month' ? `${addMonths(start.slice(0, 7), 1)}-01` : addDays(start, 7)
}

/** The name of the period that begins on `start`: a month, or a day, which names its year where that is not this one. */
export function periodWord(start: string, every: Figure['every'], language: Language): string {
  const hasYear = every === 'month' || Number(start.slice(0, 4)) !== new Date().getFullYear()
  return new Intl.DateTimeFormat(language === 'tr' ? 'tr-TR' : 'en-GB', {
    day: every === 'month' ? undefined : 'numeric',
    month: 'short',
    year: hasYear ? 'numeric' : undefined,
    timeZone: 'UTC',
  }).format(new Date(`${start}T00:00:00Z`))
}

function keyCondition(field: string, key: string | null): Filter {
  return { [field]: key === null ? { _null: true } : { _eq: key } }
}

/** From the first day of `key` until the end of `last`, which is the same period without it. */
function periodConditions(field: string, every: Figure['every'], key: string, last = key): Filter[] {
  return [{ [field]: { _gte: key } }, { [field]: { _lt: periodEnd(last, every) } }]
}

function figureList(state: ListState, figure: Figure, view: Filter, further: readonly Filter[]): ListState {
  const isInView = ignoredFields(figure, view).length === 0
  const followed = isInView ? undefined : followedPart(figure, view, Object.keys(view))
  const conditions: Filter[] = [state.where, followed, figure.filter, figure.part].filter(
    (each) => each !== null && each !== undefined && Object.keys(each).length > 0,
  ) as Filter[]
  const all = [...conditions, ...further]
  const where = all.length > 0 ? toWhere({ _and: all }) : null
  return changeList(state, { layout: 'table', where, badWhere: null, ...(isInView ? {} : { view: null }) })
}

/** The list of the rows that a figure counts, or of one of its values; `view` is the filter of the open view. */
export function figureState(
  state: ListState,
  figure: Figure,
  key?: string | null,
  view: Filter = {},
): ListState {
  const { by, show, every } = figure
  if (key === undefined || !by) return figureList(state, figure, view, [])
  if (show === 'series' && key !== null)
    return figureList(state, figure, view, periodConditions(by, every, key))
  return figureList(state, figure, view, [keyCondition(by, key)])
}

export interface TablePlace {
  /** Left out for the figure of a column. */
  row?: string | null
  /** Left out for the figure of a row. */
  column?: string | null
  /** The periods that are the columns. */
  periods?: readonly string[]
}

/** The list of the rows that a cell of a table counts; without a row or a column, of a whole column or row. */
export function tableState(
  state: ListState,
  figure: Figure,
  { row, column, periods }: TablePlace,
  view: Filter = {},
): ListState {
  const { by = '', across = '', every } = figure
  const further = row === undefined ? [] : [keyCondition(by, row)]
  const [first, last] = [periods?.[0], periods?.at(-1)]
  if (first !== undefined) further.push(...periodConditions(across, every, column ?? first, column ?? last))
  else if (column !== undefined) further.push(keyCondition(across, column))
  return figureList(state, figure, view, further)
}

export type KeyWord = (name: string | undefined, key: string | null) => string
