import { isEditable, kindOf } from '@/resource/fields/kinds'
import { ownField } from '@/resource/fields/related-field'
import type { Definition, Field, Related } from '@/resource/language/definition.generated'
import { hintFor } from '@/resource/language/inspect/hint'
import type { Inspection } from '@/resource/language/inspect/inspection'
import { canCreate, canEdit, showOf, tableOf } from '@/resource/language/naming'

/** The action that makes the listed records, and those that are shown above the overview. */
function inspectAbove(inspection: Inspection, pointer: string, definition: Definition, related: Related) {
  const { action, above, create } = related
  const made = action === undefined ? undefined : definition.actions?.[action]
  if (action !== undefined && !made)
    inspection.add(
      `${pointer}/action`,
      `no action \`${action}\``,
      hintFor(action, Object.keys(definition.actions ?? {})),
    )
  if (made && !made.on.includes('record'))
    inspection.add(
      `${pointer}/action`,
      `\`${action}\` is not offered on a record`,
      'Add "record" to its `on`.',
    )
  if (action !== undefined && create !== false)
    inspection.add(
      `${pointer}/create`,
      'the list would have two buttons that make its records',
      'Add `"create": false`, or remove `action`.',
    )
  const target = inspection.context.find?.(related.resource)
  if (!above || !target) return
  inspection.filter(`${pointer}/above/filter`, above.filter, target.fields)
  for (const [place, name] of above.fields.entries())
    if (!target.fields[name])
      inspection.add(
        `${pointer}/above/fields/${place}`,
        `\`${related.resource}\` has no field \`${name}\``,
        hintFor(name, Object.keys(target.fields)),
      )
}

/** A count is an embed of the record: it follows a column of another table that refers here. */
function inspectCount(inspection: Inspection, pointer: string, definition: Definition, related: Related) {
  const target = related.count === true ? inspection.context.find?.(related.resource) : null
  const field = target && ownField(target, related.by)
  if (!target || !field) return
  const reason =
    tableOf(target) === tableOf(definition)
      ? 'its own records are counted by a number field with `counts`'
      : target.view
        ? `\`${related.resource}\` is a view, which no foreign key leads to`
        : kindOf(field.type).detached || field.from
          ? `\`${related.by}\` of \`${related.resource}\` is no column`
          : null
  if (reason) inspection.add(`${pointer}/count`, `the list is not counted: ${reason}`, 'Remove it.')
}

/** The box before each listed record, and the line that adds one. */
function inspectInPlace(
  inspection: Inspection,
  pointer: string,
  { resource, by, tick, add, create }: Related,
) {
  const target = inspection.context.find?.(resource)
  if (!target) return
  const named = (
    key: 'tick' | 'add',
    name: string | undefined,
    wanted: { kind: string; isFit: (field: Field) => boolean },
  ) => {
    if (name === undefined) return
    const field = target.fields[name]
    if (!field)
      inspection.add(
        `${pointer}/${key}`,
        `\`${resource}\` has no field \`${name}\``,
        hintFor(name, Object.keys(target.fields)),
      )
    else if (!wanted.isFit(field) || !isEditable(field))
      inspection.add(
        `${pointer}/${key}`,
        `\`${name}\` of \`${resource}\` is no ${wanted.kind} that people edit`,
        `Name a ${wanted.kind} that is not read-only.`,
      )
  }
  named('tick', tick, {
    kind: '`boolean`',
    isFit: (field) => kindOf(field.type).compare === 'boolean' && !field.once,
  })
  named('add', add, { kind: '`text`', isFit: (field) => kindOf(field.type).isTitle === true })
  if (tick !== undefined && !canEdit(target))
    inspection.add(`${pointer}/tick`, `\`${resource}\` is not edited in the console`, 'Remove it.')
  if (add === undefined) return
  if (create === false || !canCreate(target))
    inspection.add(`${pointer}/add`, 'no record of the list is created in the console', 'Remove it.')
  const lacking = Object.entries(target.fields).filter(
    ([name, field]) =>
      name !== add &&
      name !== by &&
      field.required &&
      !field.filled &&
      !field.when &&
      isEditable(field) &&
      !('default' in field),
  )
  for (const [name] of lacking)
    inspection.add(
      `${pointer}/add`,
      `\`${name}\` of \`${resource}\` is required, and the line asks only for \`${add}\``,
      `Give \`${name}\` a \`default\`, or remove \`add\`.`,
    )
}

/** The lists of other records on the page of a record. */
export function inspectRelated(inspection: Inspection, definition: Definition): void {
  const lists = showOf(definition)?.related ?? []
  for (const [index, related] of lists.entries()) {
    inspection.related(`/show/related/${index}`, related)
    inspection.filter(`/show/related/${index}/when`, related.when)
    if (related.when && !related.policy)
      inspection.add(
        `/show/related/${index}/when`,
        '`when` has no effect without `policy`: everybody has the tab',
        'Add `policy`, or remove it.',
      )
    inspectAbove(inspection, `/show/related/${index}`, definition, related)
    inspectCount(inspection, `/show/related/${index}`, definition, related)
    inspectInPlace(inspection, `/show/related/${index}`, related)
    if (inspection.context.find?.(related.resource)?.list === false)
      inspection.add(
        `/show/related/${index}/resource`,
        `\`${related.resource}\` has no list that could be shown here`,
        'Give it a `list`, with `"section": "none"` to keep it out of the menu.',
      )
    if (lists.findIndex(({ resource, by }) => resource === related.resource && by === related.by) < index)
      inspection.add(
        `/show/related/${index}`,
        `\`${related.resource}\` is listed twice by \`${related.by}\``,
        'Remove one.',
      )
  }
}
