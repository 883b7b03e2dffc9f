import type { Action, Definition } from '@/resource/language/definition.generated'
import { inspectFields } from '@/resource/language/inspect/fields'
import { hintFor } from '@/resource/language/inspect/hint'
import { Inspection } from '@/resource/language/inspect/inspection'
import type { InspectContext } from '@/resource/language/inspect/problems'
import { DEFAULT_ARGS } from '@/resource/request/filter/actions'
import { isVariable } from '@/resource/request/filter/scope'

const RECORDS = ['$id', '$ids']

function inspectArguments(inspection: Inspection, pointer: string, { args, params = {} }: Action): void {
  const given = Object.entries(args ?? DEFAULT_ARGS)
  for (const [name, value] of given) {
    if (isVariable(value) && !RECORDS.includes(value))
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
  if (records.length === 0)
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
  if (new Set(on).size < on.length) inspection.add(`${pointer}/on`, 'a place is listed twice', 'Remove one.')
  if (rpc) inspectArguments(inspection, pointer, action)
  if (component && !rpc)
    for (const key of ['args', 'params', 'confirm'] as const)
      if (action[key] !== undefined)
        inspection.add(`${pointer}/${key}`, `\`${key}\` has no effect beside \`component\``, 'Remove it.')
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
