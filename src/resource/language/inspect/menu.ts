import type { Definition } from '@/resource/language/definition.generated'
import { hintFor } from '@/resource/language/inspect/hint'
import type { Inspection } from '@/resource/language/inspect/inspection'
import { canCreate, formOf, hasShow, listOf, routeOf, tableOf } from '@/resource/language/naming'

/** Keys of the menu and of the screens that other keys leave without effect. */
export function inspectMenu(inspection: Inspection, definition: Definition): void {
  const { group, parent, section = 'added', position, form } = definition
  if (group !== undefined && (parent !== undefined || section !== 'added'))
    inspection.add(
      '/group',
      'only entries of the section `added` are grouped',
      'Remove `group`, or `section` and `parent`.',
    )
  if (parent !== undefined && definition.section !== undefined)
    inspection.add('/section', 'a tab has no section of the menu; its `parent` has', 'Remove one of the two.')
  if (position !== undefined && parent === undefined && section === 'none')
    inspection.add('/position', 'without an entry in the menu there is no position', 'Remove it.')
  const entry = (['position', 'section'] as const).filter((key) => definition[key] !== undefined)
  if (definition.list === false && entry[0] && section !== 'none')
    inspection.add(
      `/${entry[0]}`,
      `a resource without a list has no entry in the menu, so ${entry.map((key) => `\`${key}\``).join(' and ')} has no effect`,
      'Remove it.',
    )
  if (!canCreate(definition))
    for (const [pointer, value] of [
      ['/create_below_list', definition.create_below_list],
      ['/form/after_create', formOf(definition)?.after_create],
      ['/form/after_create_tab', formOf(definition)?.after_create_tab],
      ['/duplicate', form === false ? undefined : definition.duplicate],
    ] as const)
      if (value)
        inspection.add(
          pointer,
          `\`${pointer.split('/').at(-1)}\` has no effect: nothing is created, as \`create\` or \`form\` is false`,
          'Remove one of the two.',
        )
  if (definition.page_object === definition.name)
    inspection.add(
      '/page_object',
      `\`page_object\` is a second permission object, and \`${definition.name}\` is the first already`,
      'Remove it.',
    )
  for (const key of ['create', 'edit', 'duplicate', 'import'] as const)
    if (form === false && definition[key] === true)
      inspection.add(`/${key}`, `\`${key}\` needs a form, and \`form\` is false`, 'Remove one of the two.')
  const opens = listOf(definition)?.opens
  const { find, names = [], broken } = inspection.context
  if (opens === undefined || !find || broken?.size) return
  const all = names.flatMap((name) => find(name) ?? [])
  const target = all.find((each) => routeOf(each) === opens && hasShow(each))
  if (!target)
    inspection.add(
      '/list/opens',
      `no resource with a record page has the route \`${opens}\``,
      hintFor(opens, all.map(routeOf)),
    )
  // Whether a view has the keys of that table, the linter asks the database.
  else if (tableOf(target) !== tableOf(definition) && !definition.view)
    inspection.add(
      '/list/opens',
      `\`${target.name}\` reads \`${tableOf(target)}\`, not \`${tableOf(definition)}\`: its page would not find the record`,
      'Name the route of a resource over the same table. A view that has the `id` of that table says `"view": true`.',
    )
}
