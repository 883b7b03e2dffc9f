import type { Definition, Field } from '@/resource/definition/definition.generated'
import { formOf, LIST_PARAMS, listOf, showOf } from '@/resource/definition/naming'
import { kindOf, valueKindOf } from '@/resource/fields/kinds'
import { hintFor } from '@/resource/inspect/hint'
import { Inspection } from '@/resource/inspect/inspection'
import type { InspectContext, PointedProblem } from '@/resource/inspect/problems'
import { ownProblems } from '@/resource/inspect/values'

function inspectField(inspection: Inspection, context: InspectContext, name: string, field: Field): void {
  const pointer = `/fields/${name}`
  inspection.filter(`${pointer}/when`, field.when)
  if (field.check) inspection.condition(`${pointer}/check`, field.check, field)
  if (field.filter && !valueKindOf(field).filter)
    inspection.add(`${pointer}/filter`, `a list cannot filter by a field of kind \`${field.type}\``)
  if (LIST_PARAMS.has(name))
    inspection.add(pointer, `\`${name}\` is a word of the list's address and cannot name a field`)
  if ('default' in field) inspection.variable(`${pointer}/default`, field.default)
  const { follows = [], references, choices: choicesOf } = kindOf(field.type)
  const choices = choicesOf?.(field)
  if (choices?.isClosed && 'default' in field && field.default !== undefined) {
    const strange = [field.default]
      .flat()
      .map(String)
      .find((value) => !choices.known.includes(value))
    if (strange !== undefined)
      inspection.add(
        `${pointer}/default`,
        `the default \`${strange}\` is not among the values`,
        hintFor(strange, choices.known),
      )
  }
  // The default is compared with the pattern.
  if ('pattern' in field && field.pattern !== undefined && !isPattern(field.pattern))
    inspection.add(`${pointer}/pattern`, `\`${field.pattern}\` is not a regular expression`)
  else
    for (const [option, { message, hint }] of ownProblems(field))
      inspection.add(`${pointer}/${option}`, message, hint)
  if ('to' in field) {
    inspection.target(`${pointer}/to`, field.to)
    const target = context.find?.(field.to)
    if (target && field.where) inspection.filter(`${pointer}/where`, field.where, target.fields)
  }
  for (const option of follows) inspection.variable(`${pointer}/${option}`, Reflect.get(field, option))
  for (const [option, name] of references?.(field) ?? []) inspection.field(`${pointer}/${option}`, name)
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

function inspectList(inspection: Inspection, definition: Definition): void {
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
      for (const [place, name] of (column.with ?? []).entries())
        inspection.column(`${pointer}/with/${place}`, name)
    }
  }
  inspection.sort('/list/sort', list?.sort)
  inspection.filter('/list/filter', list?.filter)
  for (const [view, { filter, sort }] of Object.entries(list?.views ?? {})) {
    inspection.filter(`/list/views/${view}/filter`, filter)
    inspection.sort(`/list/views/${view}/sort`, sort)
  }
}

function inspectShow(inspection: Inspection, definition: Definition): void {
  const show = showOf(definition)
  inspection.sections('/show/sections', show?.sections)
  for (const [index, name] of (show?.summary ?? []).entries())
    inspection.field(`/show/summary/${index}`, name)
  for (const [index, related] of (show?.related ?? []).entries())
    inspection.related(`/show/related/${index}`, related)
  for (const [tab, { sections, component }] of Object.entries(show?.tabs ?? {})) {
    inspection.sections(`/show/tabs/${tab}/sections`, sections)
    if (show?.tab_urls && tab === 'edit')
      inspection.add(
        `/show/tabs/${tab}`,
        'the address of this tab is that of the edit form',
        'Give it another name.',
      )
    if (!sections && !component)
      inspection.add(`/show/tabs/${tab}`, 'the tab shows nothing', 'Give it `sections` or `component`.')
  }
}

/** Without a place in the form, a required field makes every new record fail. */
function inspectRequired(inspection: Inspection, definition: Definition): void {
  const form = formOf(definition)
  const parts = [form, ...Object.values(form?.steps ?? {}), ...Object.values(form?.tabs ?? {})]
  const given = parts.flatMap((part) => Object.values(part?.sections ?? {}))
  if (!form || form.component || given.length === 0 || definition.create === false) return
  const held = new Set(given.flatMap((rows) => rows.flatMap((row) => row.split(/\s+/))))
  for (const [name, field] of Object.entries(definition.fields)) {
    const isFilled = field.readonly || field.from || kindOf(field.type).derived || 'default' in field
    if (field.required && !isFilled && !held.has(name) && name !== 'company_id')
      inspection.add(
        `/fields/${name}/required`,
        `no part of the form holds the required field \`${name}\`: nothing could be created`,
        'Add it to the form, or give it a default.',
      )
  }
}

/** A form is divided in one way, and a field appears in it once. */
function inspectForm(inspection: Inspection, definition: Definition): void {
  const form = formOf(definition)
  const ways = (['sections', 'steps', 'tabs'] as const).filter((way) => form?.[way] !== undefined)
  if (ways[0] && ways[1])
    inspection.add(`/form/${ways[1]}`, `the form has both \`${ways[0]}\` and \`${ways[1]}\``, 'Keep one.')
  inspection.sections('/form/sections', form?.sections)
  for (const way of ['steps', 'tabs'] as const) {
    const seen = new Set<string>()
    for (const [part, { sections }] of Object.entries(form?.[way] ?? {}))
      inspection.sections(`/form/${way}/${part}/sections`, sections, seen)
  }
  inspectRequired(inspection, definition)
  const tab = form?.after_create_tab
  const tabs = Object.keys(showOf(definition)?.tabs ?? {})
  if (tab !== undefined && !tabs.includes(tab))
    inspection.add('/form/after_create_tab', `the record has no tab \`${tab}\``, hintFor(tab, tabs))
  const actions = Object.keys(definition.actions ?? {})
  const next = form?.after_create
  if (next !== undefined && !actions.includes(next))
    inspection.add('/form/after_create', `no action \`${next}\``, hintFor(next, actions))
}

/** What a definition names: fields, targets, variables. The shape was checked before. */
export function inspectReferences(definition: Definition, context: InspectContext): PointedProblem[] {
  const inspection = new Inspection(definition, context)
  for (const [name, field] of Object.entries(definition.fields))
    inspectField(inspection, context, name, field)
  for (const [, name] of (definition.title ?? '').matchAll(/\{(\w+)\}/g))
    if (name) inspection.field('/title', name, ['id'])
  inspectList(inspection, definition)
  inspectShow(inspection, definition)
  inspectForm(inspection, definition)
  for (const [name, action] of Object.entries(definition.actions ?? {})) {
    inspection.filter(`/actions/${name}/when`, action.when)
    if (!action.rpc && !action.component)
      inspection.add(`/actions/${name}`, 'the action does nothing', 'Give it `rpc` or `component`.')
    if (action.rpc && action.component)
      inspection.add(
        `/actions/${name}`,
        'the action has both `rpc` and `component`',
        'A component calls what it needs itself.',
      )
  }
  return inspection.problems
}
