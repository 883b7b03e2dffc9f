import { isEditable, kindOf, valueKindOf } from '@/resource/fields/kinds'
import { ownField, targetOf } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import type { FindDefinition } from '@/resource/language/entry'
import { inspectActions } from '@/resource/language/inspect/actions'
import { inspectChildren } from '@/resource/language/inspect/children'
import { inspectComments } from '@/resource/language/inspect/comments'
import { inspectFields } from '@/resource/language/inspect/fields'
import { inspectHidden } from '@/resource/language/inspect/hidden'
import { hintFor } from '@/resource/language/inspect/hint'
import { Inspection } from '@/resource/language/inspect/inspection'
import { inspectList } from '@/resource/language/inspect/list'
import { inspectMenu } from '@/resource/language/inspect/menu'
import { inspectBlankWords } from '@/resource/language/inspect/options'
import { inspectOverlap } from '@/resource/language/inspect/overlap'
import type { InspectContext, PointedProblem } from '@/resource/language/inspect/problems'
import { inspectRelated } from '@/resource/language/inspect/related'
import { inspectRowRules } from '@/resource/language/inspect/row-rules'
import { inspectTrash } from '@/resource/language/inspect/trash'
import { formOf, showOf } from '@/resource/language/naming'

function inspectShow(inspection: Inspection, definition: Definition): void {
  const show = showOf(definition)
  inspection.sections('/show/sections', show?.sections)
  const summary = show?.summary ?? []
  for (const [index, name] of summary.entries()) {
    inspection.field(`/show/summary/${index}`, name)
    if (summary.indexOf(name) < index)
      inspection.add(`/show/summary/${index}`, `the summary has \`${name}\` twice`, 'Remove one.')
  }
  if (show?.tab_urls && !show.tabs)
    inspection.add('/show/tab_urls', '`tab_urls` has no effect without `tabs`', 'Remove it.')
  inspectRelated(inspection, definition)
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
    if (sections && component)
      inspection.add(`/show/tabs/${tab}/sections`, 'the component of the tab takes their place', 'Keep one.')
  }
  for (const [name, { rows, edit, component }] of Object.entries(show?.side ?? {})) {
    const pointer = `/show/side/${name}`
    inspection.sections('/show/side', rows ? { [`${name}/rows`]: rows } : undefined)
    const shown = (rows ?? []).flatMap((row) => row.split(/\s+/))
    for (const [index, field] of (edit ?? []).entries()) {
      if (!shown.includes(field))
        inspection.add(
          `${pointer}/edit/${index}`,
          `\`${field}\` is not among the rows of this part`,
          hintFor(field, shown),
        )
      else if (!isEditable(definition.fields[field]))
        inspection.add(`${pointer}/edit/${index}`, `nobody edits \`${field}\``, 'Remove it.')
    }
    if (!rows && !component)
      inspection.add(pointer, 'this part of the side shows nothing', 'Give it `rows` or `component`.')
  }
}

/** A required field that has no place in the form makes every new record fail. */
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

function inspectTitle(inspection: Inspection, { title, fields }: Definition): void {
  if (title === undefined) return
  const slots = [...title.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? [])
  for (const name of slots) {
    inspection.field('/title', name, ['id'])
    const field = ownField({ fields }, name)
    const kind = field && kindOf(field.type)
    if (field && (kind?.isLarge || kind?.detached || kind?.isList || kind?.compare === 'boolean'))
      inspection.add(
        '/title',
        `a title cannot show \`${name}\`, which is \`${field.type}\``,
        'Name a field of text or numbers.',
      )
  }
  const dollar = slots.find((name) => title.includes(`\${${name}}`))
  const followed = dollar === undefined ? undefined : ownField({ fields }, dollar)
  if (/[{}]/.test(title.replace(/\{\w+\}/g, '')))
    inspection.add(
      '/title',
      `the title would show a brace: \`${title}\``,
      'Write a field as `{name}`: one brace on each side, no spaces or dots.',
    )
  // `$` before a number is an amount.
  else if (followed && valueKindOf(followed).compare !== 'number')
    inspection.add('/title', 'the title would show a `$`', `Write \`{${dollar}}\`.`)
  else if (slots.length === 0)
    inspection.add('/title', `every record would be titled \`${title}\``, 'Name a field: `{name}`.')
}

/** How a new record begins: with cards, with suggestions while it is typed, with files. */
function inspectBeginning(inspection: Inspection, definition: Definition, find?: FindDefinition): void {
  const form = formOf(definition)
  const names = Object.keys(definition.fields)
  for (const key of ['cards', 'suggest', 'attachments'] as const)
    if (form?.component && form[key])
      inspection.add(`/form/${key}`, 'the component of the form takes its place', 'Keep one.')
  if (form?.attachments && definition.attachments !== true)
    inspection.add(
      '/form/attachments',
      'the records have no attachments',
      'Add `"attachments": true` to the definition.',
    )
  const cards = form?.cards === undefined ? undefined : ownField(definition, form.cards)
  if (form?.cards !== undefined && !cards)
    inspection.add('/form/cards', `no field \`${form.cards}\``, hintFor(form.cards, names))
  else if (cards && (targetOf(cards) === null || cards.readonly))
    inspection.add(
      '/form/cards',
      `\`${form?.cards}\` is not a relation that the form fills in`,
      'Name a field of type `relation`.',
    )
  const suggest = form?.suggest
  if (!suggest) return
  const by = ownField(definition, suggest.by)
  if (!by) inspection.add('/form/suggest/by', `no field \`${suggest.by}\``, hintFor(suggest.by, names))
  else if (!kindOf(by.type).isText)
    inspection.add('/form/suggest/by', `\`${suggest.by}\` is not a text`, 'Name a field that holds text.')
  const target = find?.(suggest.resource)
  if (!target) {
    if (find)
      inspection.add(
        '/form/suggest/resource',
        `no resource \`${suggest.resource}\``,
        'Name a resource of `resources/`.',
      )
    return
  }
  const text = ownField(target, suggest.text)
  if (!text)
    inspection.add(
      '/form/suggest/text',
      `\`${suggest.resource}\` has no field \`${suggest.text}\``,
      hintFor(suggest.text, Object.keys(target.fields)),
    )
  else if (!kindOf(text.type).isText)
    inspection.add('/form/suggest/text', `\`${suggest.text}\` is not a text`, 'Name a field that holds text.')
  if (suggest.solved !== undefined && !target.actions?.[suggest.solved])
    inspection.add(
      '/form/suggest/solved',
      `\`${suggest.resource}\` has no action \`${suggest.solved}\``,
      hintFor(suggest.solved, Object.keys(target.actions ?? {})) || 'Remove it, or add the action.',
    )
}

/** A form is divided in one way, and a field appears in it once. */
function inspectForm(inspection: Inspection, definition: Definition, find?: FindDefinition): void {
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
  const divided = ways[0]
  if (form?.component && divided)
    inspection.add(`/form/${divided}`, 'the component of the form takes their place', 'Keep one.')
  const tab = form?.after_create_tab
  const tabs = Object.keys(showOf(definition)?.tabs ?? {})
  if (tab !== undefined && !tabs.includes(tab))
    inspection.add('/form/after_create_tab', `the record has no tab \`${tab}\``, hintFor(tab, tabs))
  inspectBeginning(inspection, definition, find)
  const actions = Object.keys(definition.actions ?? {})
  const next = form?.after_create
  if (next !== undefined && !actions.includes(next))
    inspection.add('/form/after_create', `no action \`${next}\``, hintFor(next, actions))
  else if (next !== undefined && !definition.actions?.[next]?.on.includes('record'))
    inspection.add(
      '/form/after_create',
      `\`${next}\` is not an action on one record`,
      `Add "record" to the \`on\` of \`${next}\`.`,
    )
}

/** A record's page reads all of its fields in one request, whose embedded tables the API limits. */
const MAX_TABLES = 30
const MAX_SAME_TABLE = 8

function inspectTables(inspection: Inspection, definition: Definition): void {
  const tables = new Set<string>()
  const targets = new Map<string, number>()
  for (const [name, field] of Object.entries(definition.fields)) {
    const target = field.from ? null : targetOf(field)
    if (field.from) tables.add(`from ${field.from.table}`)
    if (target === null) continue
    tables.add(name)
    targets.set(target, (targets.get(target) ?? 0) + 1)
  }
  const hint = 'Move some of the relations to a resource of their own that refers to this one.'
  if (tables.size > MAX_TABLES)
    inspection.add(
      '/fields',
      `the fields refer to ${tables.size} tables; a record can be read with at most ${MAX_TABLES}`,
      hint,
    )
  for (const [target, count] of targets)
    if (count > MAX_SAME_TABLE)
      inspection.add(
        '/fields',
        `${count} fields refer to \`${target}\`; a record can be read with at most ${MAX_SAME_TABLE}`,
        hint,
      )
}

/** Fields that are unique together, and the words for a rule that is broken. */
function inspectUnique(inspection: Inspection, definition: Definition): void {
  const last = (definition.unique ?? []).map((names) => names.at(-1))
  for (const [name, field] of Object.entries(definition.fields)) {
    if (!field.message) continue
    const isSet = last.includes(name) || definition.no_overlap?.from === name
    const hasRule = field.check || 'pattern' in field || field.unique || isSet
    if (!hasRule)
      inspection.add(
        `/fields/${name}/message`,
        `\`${name}\` has a message, but no rule that it is about`,
        'Give the field a `check`, a `pattern` or `"unique": true`.',
      )
    for (const language of ['en', 'tr'] as const)
      if (!field.message[language])
        inspection.add(`/fields/${name}/message`, `the message of \`${name}\` has no text in \`${language}\``)
  }
  for (const [index, names] of (definition.unique ?? []).entries())
    for (const [place, name] of names.entries()) inspection.field(`/unique/${index}/${place}`, name)
}

/** Checks the names in a definition: fields, targets, variables. The shape was checked before. */
export function inspectReferences(definition: Definition, context: InspectContext): PointedProblem[] {
  const inspection = new Inspection(definition, context)
  inspectFields(inspection, context, '/fields')
  inspectTitle(inspection, definition)
  inspectMenu(inspection, definition)
  inspectUnique(inspection, definition)
  inspectOverlap(inspection, definition)
  inspectRowRules(inspection, definition)
  inspectHidden(inspection, definition)
  inspectTrash(inspection, definition)
  inspectList(inspection, definition)
  inspectShow(inspection, definition)
  inspectForm(inspection, definition, context.find)
  inspectTables(inspection, definition)
  inspectChildren(inspection, definition, context.find)
  inspectComments(inspection, definition)
  inspection.filter('/locked/when', definition.locked?.when)
  inspectActions(inspection, definition, context)
  inspectBlankWords(inspection, definition)
  return inspection.problems
}
