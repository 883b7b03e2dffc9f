import { kindOf } from '@/resource/fields/kinds'
import type { Definition, Field } from '@/resource/language/definition.generated'
import type { Inspection } from '@/resource/language/inspect/inspection'
import { listOf, tableOf } from '@/resource/language/naming'

/** Column types that have a value to stand for every hidden one: `app.hidden_mark` knows the same. */
const MARKED = ['text', 'numeric', 'int2', 'int4', 'int8', 'float4', 'float8', 'date', 'timestamptz']

function canHide(field: Field): boolean {
  const { columns, detached, derived, isList, target } = kindOf(field.type)
  return (
    !(detached || derived || isList || target || field.readonly) &&
    columns.some((type) => MARKED.includes(type))
  )
}

function names(value: unknown, field: string): boolean {
  if (typeof value === 'string') return value === field || value === `-${field}`
  if (Array.isArray(value)) return value.some((each) => names(each, field))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, each]) => key === field || names(each, field))
}

/** The parts of a list that everybody is shown: for those who may not read the field, they would ask for nothing. */
function sharedParts(definition: Definition): [string, unknown][] {
  const list = listOf(definition)
  if (!list) return []
  const views = Object.entries(list.views ?? {}).map(([name, { filter }]): [string, unknown] => [
    `/list/views/${name}/filter`,
    filter,
  ])
  return [
    ['/list/filter', list.filter],
    ['/list/default_filter', list.default_filter],
    ['/list/board', list.board],
    ['/list/calendar', list.calendar],
    ['/list/dashboard', list.dashboard],
    ...views,
  ]
}

/** Fields that only some may read: the database keeps their values in a table of their own, where nothing else looks. */
export function inspectHidden(inspection: Inspection, definition: Definition): void {
  const isTenant = definition.tenant !== false
  const inTitle = definition.title ?? ''
  for (const [name, field] of Object.entries(definition.fields)) {
    if (field.guard?.show && field.required && !field.readonly)
      inspection.add(
        `/fields/${name}/guard/show`,
        'a form without the field could not be saved: it is required',
        'Remove `required`, or `show`.',
      )
    if (field.guard?.show && field.guard.read)
      inspection.add(
        `/fields/${name}/guard/show`,
        '`read` leaves the field out of screens already',
        'Remove `show`.',
      )
    if (!field.guard?.read || field.from) continue
    const pointer = `/fields/${name}/guard/read`
    if (!canHide(field))
      inspection.add(
        pointer,
        `a \`${field.type}\` field${field.readonly ? ' that is `readonly`' : ''} cannot be hidden: its value is not kept apart`,
        'Hide a text, a number, a choice or a time that people write, or keep it in a table of its own (`from`).',
      )
    if (!isTenant || definition.view || tableOf(definition) !== definition.name)
      inspection.add(
        pointer,
        'a hidden value is kept beside the table of a resource of companies, and this one has none',
        'Keep it in a table of its own (`from`) with its own policies.',
      )
    if (field.guard.write)
      inspection.add(
        `/fields/${name}/guard/write`,
        'a hidden value is written by those alone who may read it',
        'Remove `write`.',
      )
    if (field.search && !Object.values(definition.fields).some((each) => each.search && !each.guard?.read))
      inspection.add(
        `/fields/${name}/search`,
        `a search of hidden values alone would be one for nobody else`,
        'Set `search` on a field that everybody reads as well.',
      )
    const told = ['unique', 'required', 'default', 'check', 'when'].filter((option) => {
      const value: unknown = Reflect.get(field, option)
      return value !== undefined && value !== false
    })
    for (const option of told)
      inspection.add(
        `/fields/${name}/${option}`,
        `\`${option}\` would tell of the hidden value of \`${name}\` to those who may not read it, or needs it in the table`,
        `Remove \`${option}\`.`,
      )
    for (const [at, part] of sharedParts(definition))
      if (names(part, name))
        inspection.add(
          at,
          `everybody who may list the records is shown it, and \`${name}\` is hidden from some`,
          'Leave the field out. Those who may read it filter by it themselves, and save that as a view.',
        )
    if (new RegExp(`\\{${name}\\}`).test(inTitle))
      inspection.add('/title', `the title would show the hidden field \`${name}\``, 'Leave it out.')
    if ((definition.unique ?? []).some((set) => set.includes(name)))
      inspection.add('/unique', `\`${name}\` is hidden, so nothing can be told apart by it`, 'Leave it out.')
  }
}
