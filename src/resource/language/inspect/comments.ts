import { ownField } from '@/resource/fields/related-field'
import { commentsOf } from '@/resource/language/comments'
import type { Condition, Definition, Filter } from '@/resource/language/definition.generated'
import { hintFor } from '@/resource/language/inspect/hint'
import type { Inspection } from '@/resource/language/inspect/inspection'
import { isOfPeople } from '@/resource/request/filter/where'

/** The database asks the condition over the record's own columns, of whoever writes and at any time. */
function inspectWhen(inspection: Inspection, pointer: string, filter: Filter): void {
  for (const [key, value] of Object.entries(filter)) {
    if (key === '_and' || key === '_or') {
      for (const [index, inner] of (value as Filter[]).entries())
        inspectWhen(inspection, `${pointer}/${key}/${index}`, inner)
      continue
    }
    inspection.field(`${pointer}/${key}`, key)
    const field = ownField(inspection.definition, key)
    inspection.condition(`${pointer}/${key}`, value as Condition, field)
    if (/\$(user|now)\b/.test(JSON.stringify(value)))
      inspection.add(
        `${pointer}/${key}`,
        `when comments are written cannot depend on \`$user\` or \`$now\``,
        'Compare with a value.',
      )
  }
}

function inspectAction(inspection: Inspection, pointer: string, name: string): void {
  const { actions = {} } = inspection.definition
  const action = actions[name]
  if (!action) inspection.add(pointer, `no action \`${name}\``, hintFor(name, Object.keys(actions)))
  else if (!action.on.includes('record'))
    inspection.add(
      pointer,
      `\`${name}\` is not an action on one record`,
      `Add "record" to the \`on\` of \`${name}\`.`,
    )
}

/** The thread of a resource: the people it tells, its kinds, and that the records can have one. */
export function inspectComments(inspection: Inspection, definition: Definition): void {
  const comments = commentsOf(definition)
  if (!comments) return
  if (definition.tenant === false)
    inspection.add(
      '/comments',
      'records that belong to no company have no comments: their text would be read by every company',
      'Remove `comments`, or `"tenant": false`.',
    )
  if (definition.view)
    inspection.add(
      '/comments',
      'a view has no comments: they need a key to its rows',
      'Put them on the table.',
    )
  for (const [index, name] of comments.people.entries()) {
    const pointer = `/comments/people/${index}`
    inspection.field(pointer, name)
    const field = ownField(definition, name)
    if (field && !isOfPeople(field))
      inspection.add(pointer, `\`${name}\` names no person`, 'Name a field of type `user`.')
  }
  if (comments.searched && !Object.values(definition.fields).some(({ search }) => search))
    inspection.add(
      '/comments/search',
      'the records themselves have no search',
      'Give a field `"search": true`, or remove this.',
    )
  inspection.filter('/comments/offered_when', comments.offeredWhen ?? undefined)
  if (comments.sets !== null) {
    inspection.field('/comments/sets', comments.sets)
    const field = ownField(definition, comments.sets)
    if (field && field.type !== 'enum' && field.type !== 'relation')
      inspection.add(
        '/comments/sets',
        `\`${comments.sets}\` has no values to choose from`,
        'Name a field of type `enum` or `relation`.',
      )
    else if (field?.readonly)
      inspection.add('/comments/sets', `\`${comments.sets}\` is read-only`, 'Name a field that people edit.')
  }
  for (const [kind, { when, instead }] of Object.entries(comments.kinds)) {
    const pointer = `/comments/kinds/${kind}`
    if (when) inspectWhen(inspection, `${pointer}/when`, when)
    else if (instead.length > 0)
      inspection.add(
        `${pointer}/instead`,
        '`instead` has no effect: such comments are always taken',
        'Say by `when` while the record takes them, or remove this.',
      )
    for (const [index, name] of instead.entries())
      inspectAction(inspection, `${pointer}/instead/${index}`, name)
  }
}
