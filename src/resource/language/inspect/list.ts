import { kindOf, valueKindOf } from '@/resource/fields/kinds'
import type { Definition, Field, Filter, List } from '@/resource/language/definition.generated'
import { inspectBoard } from '@/resource/language/inspect/board'
import { inspectOwnFilter } from '@/resource/language/inspect/fields'
import { hintFor } from '@/resource/language/inspect/hint'
import type { Inspection } from '@/resource/language/inspect/inspection'
import { layoutField, recordPlaces } from '@/resource/language/inspect/layout-field'
import { listOf } from '@/resource/language/naming'
import { parseWhere, toWhere } from '@/resource/request/filter/where'

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
    const layouts = list?.layouts ?? ['table']
    if (shown.layout !== undefined && !layouts.includes(shown.layout))
      inspection.add(
        `/list/views/${view}/layout`,
        `the list has no layout \`${shown.layout}\``,
        hintFor(shown.layout, layouts),
      )
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
  const besides = (list?.columns ?? []).flatMap((column) =>
    typeof column === 'string' ? [] : (column.with ?? []),
  )
  for (const [index, name] of (list?.narrow ?? []).entries())
    if (!(seen.has(name) || besides.includes(name)) || name === [...seen][0])
      inspection.add(
        `/list/narrow/${index}`,
        `\`${name}\` is no column of the list after its first`,
        hintFor(name, [...seen].slice(1)) ?? 'Name a column of the list.',
      )
  inspectLayouts(inspection, definition)
  inspectOrder(inspection, definition)
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

const HINTS = {
  board: 'Name the field of its columns: `{ "by": "status" }`.',
  calendar: 'Name its day: `{ "from": "due_at" }`.',
  dashboard: 'Name a figure: `{ "all": { "show": "number" } }`.',
} as const

export const DAY = {
  fits: (field: Field) => ['date', 'instant'].includes(valueKindOf(field).compare),
  needs: 'a `date` or `datetime`',
}

const CHOICE = {
  fits: (field: Field) => 'values' in field,
  needs: 'an `enum`',
}

const NUMBER = {
  fits: (field: Field) => valueKindOf(field).compare === 'number',
  needs: 'a number',
}
const COLUMN = {
  fits: (field: Field) => !kindOf(field.type).detached && !kindOf(field.type).isLarge,
  needs: 'a field with a short value',
}

function inspectDashboard(inspection: Inspection, definition: Definition, list: List): void {
  for (const [name, figure] of Object.entries(list.dashboard ?? {})) {
    const pointer = `/list/dashboard/${name}`
    const needs = (key: 'of' | 'by' | 'across' | 'part', isNeeded: boolean, why: string) => {
      if (isNeeded && figure[key] === undefined)
        inspection.add(pointer, `the figure \`${name}\` needs \`${key}\`: ${why}`, `Add \`${key}\`.`)
      if (!isNeeded && figure[key] !== undefined)
        inspection.add(`${pointer}/${key}`, `\`${key}\` says nothing here`, 'Remove it.')
    }
    const isShare = figure.show === 'share'
    const isMeasured = figure.measure !== undefined && figure.measure !== 'count'
    needs('of', isMeasured, `the number that \`${figure.measure}\` computes with`)
    const isTable = figure.show === 'table'
    needs('by', isTable || figure.show === 'top' || figure.show === 'series', 'the field that it counts by')
    needs('across', isTable, 'the field whose values are its columns')
    needs('part', isShare, 'the rows that are the share')
    if (isShare && isMeasured)
      inspection.add(`${pointer}/measure`, 'a share counts rows', 'Remove `measure`.')
    if (figure.of !== undefined) layoutField(inspection, `${pointer}/of`, figure.of, NUMBER)
    if (figure.by !== undefined)
      layoutField(inspection, `${pointer}/by`, figure.by, figure.show === 'series' ? DAY : COLUMN)
    if (figure.across !== undefined) {
      layoutField(inspection, `${pointer}/across`, figure.across, COLUMN)
      if (figure.across === figure.by)
        inspection.add(`${pointer}/across`, 'the rows and the columns are the same', 'Name another field.')
      const field = definition.fields[figure.across]
      for (const key of ['every', 'last'] as const)
        if (figure[key] !== undefined && field && !DAY.fits(field))
          inspection.add(
            `${pointer}/${key}`,
            `\`${figure.across}\` is no date, so that \`${key}\` says nothing`,
            'Remove it.',
          )
    }
    for (const key of ['by', 'across'] as const) {
      const name = figure[key]
      if (name !== undefined && definition.fields[name]?.filter === false)
        inspection.add(
          `${pointer}/${key}`,
          `lists do not filter by \`${name}\`, so that the figure would lead to no list`,
          `Remove \`"filter": false\` from \`${name}\`, or name another field.`,
        )
    }
    const ofViews = new Set(Object.values(list.views ?? {}).flatMap((view) => Object.keys(view.filter)))
    figure.ignores?.forEach((field, index) => {
      inspection.field(`${pointer}/ignores/${index}`, field)
      if (definition.fields[field] && !ofViews.has(field))
        inspection.add(
          `${pointer}/ignores/${index}`,
          `no view filters by \`${field}\` itself, so that there is nothing to ignore`,
          'Remove it.',
        )
    })
    for (const key of ['filter', 'part'] as const) {
      const filter = figure[key]
      inspectListFilter(inspection, `${pointer}/${key}`, filter)
      const where = filter && toWhere(filter)
      if (where && !parseWhere(JSON.stringify(where), definition))
        inspection.add(
          `${pointer}/${key}`,
          'no list can be opened with this filter: an address takes fields that lists filter by, days, `$now` with days, and `$user`',
          'Write it with such fields and values.',
        )
    }
  }
}

/** Checks that the order of a list is a whole number of the table, which people may edit and the list is sorted by. */
function inspectOrder(inspection: Inspection, definition: Definition): void {
  const list = listOf(definition)
  if (list?.order === undefined) return
  const { order, sort } = list
  layoutField(inspection, '/list/order', order, {
    fits: (each) => each.type === 'number' && !each.decimals && each.readonly !== true && !each.guard?.read,
    needs: 'a whole `number` that people edit',
  })
  if (definition.edit === false)
    inspection.add(
      '/list/order',
      'records are not edited in the console, so nobody changes their order',
      'Remove it.',
    )
  if (sort !== order)
    inspection.add(
      '/list/order',
      `the list is not sorted by \`${order}\`, so that its order would not show`,
      `Write \`"sort": "${order}"\` in \`list\`.`,
    )
}

/** Checks the layouts of a list: each one that needs a description has it, and none is described that is not offered. */
function inspectLayouts(inspection: Inspection, definition: Definition): void {
  const list = listOf(definition)
  if (!list) return
  const layouts = list.layouts ?? ['table']
  for (const name of ['board', 'calendar', 'dashboard'] as const) {
    const index = layouts.indexOf(name)
    if (index >= 0 && !list[name])
      inspection.add(`/list/layouts/${index}`, `the layout \`${name}\` needs \`list.${name}\``, HINTS[name])
    if (index < 0 && list[name])
      inspection.add(
        `/list/${name}`,
        `\`${name}\` is described, and the list does not offer it`,
        `Add \`"${name}"\` to \`list.layouts\`, or remove it.`,
      )
  }
  inspectBoard(inspection, definition, list)
  inspectDashboard(inspection, definition, list)
  const { calendar } = list
  if (!calendar) return
  layoutField(inspection, '/list/calendar/from', calendar.from, DAY)
  if (calendar.color !== undefined) layoutField(inspection, '/list/calendar/color', calendar.color, CHOICE)
  if (calendar.done_when !== undefined)
    inspectOwnFilter(
      inspection,
      '/list/calendar/done_when',
      calendar.done_when,
      false,
      'a record is done for everybody',
    )
  if (calendar.until === undefined) return
  layoutField(inspection, '/list/calendar/until', calendar.until, DAY)
  const [from, until] = [calendar.from, calendar.until].map((name) => definition.fields[name])
  if (
    from &&
    until &&
    DAY.fits(from) &&
    DAY.fits(until) &&
    valueKindOf(from).compare !== valueKindOf(until).compare
  )
    inspection.add(
      '/list/calendar/until',
      `\`${calendar.until}\` is \`${until.type}\`, and \`${calendar.from}\` is \`${from.type}\``,
      'Both must be of the same kind.',
    )
}
