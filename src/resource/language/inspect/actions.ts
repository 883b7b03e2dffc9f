import { ownField } from '@/resource/fields/related-field'
import type { Action, Definition, Filter } from '@/resource/language/definition.generated'
import { inspectFields } from '@/resource/language/inspect/fields'
import { hintFor } from '@/resource/language/inspect/hint'
import { Inspection } from '@/resource/language/inspect/inspection'
import type { InspectContext } from '@/resource/language/inspect/problems'
import { DEFAULT_ARGS, isImmediate } from '@/resource/request/filter/actions'
import { isVariable } from '@/resource/request/filter/scope'

const RECORDS = ['$id', '$ids']
/** The comment beside which an action is offered. */
const COMMENT = '$comment'

function inspectArguments(inspection: Inspection, pointer: string, { args, on, params = {} }: Action): void {
  const given = Object.entries(args ?? DEFAULT_ARGS)
  for (const [name, value] of given) {
    if (value === COMMENT) {
      if (on.some((place) => place !== 'comment'))
        inspection.add(
          `${pointer}/args/${name}`,
          '`$comment` is known beside a comment only, and the action is offered elsewhere too',
          'Write `"on": ["comment"]`, and a second action for the other places.',
        )
    } else if (isVariable(value) && !RECORDS.includes(value))
      inspection.add(
        `${pointer}/args/${name}`,
        `\`${value}\` would be sent as it is written: arguments know \`$id\` and \`$ids\` only`,
        hintFor(value, RECORDS) ??
          'Read it in the function, from the record or with `app.current_user_id()`.',
      )
    if (Object.hasOwn(params, name))
      inspection.add(
        `${pointer}/params/${name}`,
        `\`${name}\` is an argument too, which the dialog would replace`,
        'Rename one of them.',
      )
  }
  const records = given.filter(([, value]) => RECORDS.includes(String(value)))
  if (records.length === 0 && !given.some(([, value]) => value === COMMENT))
    inspection.add(
      `${pointer}/args`,
      'no argument takes the records',
      'Add `"ids": "$ids"` or `"id": "$id"`.',
    )
  if (new Set(records.map(([, value]) => value)).size > 1)
    inspection.add(
      `${pointer}/args`,
      'a function is called once with `$ids` or for each record with `$id`, not both',
      'Keep one.',
    )
}

/** The field is edited by people, and has values that the filter can tell apart. */
function inspectOnSet(inspection: Inspection, pointer: string, name: string, filter: Filter): void {
  inspection.field(pointer, name)
  const field = ownField(inspection.definition, name)
  if (!field) return
  if (field.readonly) inspection.add(pointer, `\`${name}\` is read-only`, 'Name a field that people edit.')
  else if (field.type === 'enum') inspection.filter(pointer, filter)
  else if (field.type !== 'relation')
    inspection.add(
      pointer,
      `\`${name}\` has no values to choose from`,
      'Name a field of type `enum` or `relation`.',
    )
  else {
    const fields = inspection.context.find?.(field.to)?.fields
    if (fields) inspection.filter(pointer, filter, fields)
  }
}

function inspectAction(
  inspection: Inspection,
  pointer: string,
  action: Action,
  context: InspectContext,
): void {
  const { rpc, component, on, params } = action
  inspection.filter(`${pointer}/when`, action.when)
  if (!rpc && !component) inspection.add(pointer, 'the action does nothing', 'Give it `rpc` or `component`.')
  if (rpc && component)
    inspection.add(
      pointer,
      'the action has both `rpc` and `component`',
      'A component calls what it needs itself.',
    )
  if (on.includes('comment') && !inspection.definition.comments)
    inspection.add(
      `${pointer}/on`,
      'the action is offered beside comments, and records have none',
      'Add `"comments": true`, or remove "comment".',
    )
  if (new Set(on).size < on.length) inspection.add(`${pointer}/on`, 'a place is listed twice', 'Remove one.')
  if (rpc) inspectArguments(inspection, pointer, action)
  if (component && !rpc)
    for (const key of ['args', 'params', 'confirm', 'shows', 'effects', 'on_set'] as const)
      if (action[key] !== undefined)
        inspection.add(`${pointer}/${key}`, `\`${key}\` has no effect beside \`component\``, 'Remove it.')
  for (const [index, path] of (action.shows ?? []).entries())
    inspection.column(`${pointer}/shows/${index}`, path)
  for (const [name, filter] of Object.entries(action.on_set ?? {}))
    inspectOnSet(inspection, `${pointer}/on_set/${name}`, name, filter)
  for (const key of ['shows', 'effects'] as const)
    if (rpc && action[key] && isImmediate({ action }))
      inspection.add(
        `${pointer}/${key}`,
        'the action has no dialog that could show fields',
        'Add `"confirm": true`, or remove it.',
      )
  const dialog = new Inspection({ ...inspection.definition, fields: params ?? {} }, context)
  inspectFields(dialog, context, `${pointer}/params`, true)
  inspection.problems.push(...dialog.problems)
}

/** Inspects an action apart from its function, which the database knows. */
export function inspectActions(
  inspection: Inspection,
  definition: Definition,
  context: InspectContext,
): void {
  for (const [name, action] of Object.entries(definition.actions ?? {}))
    inspectAction(inspection, `/actions/${name}`, action, context)
}
