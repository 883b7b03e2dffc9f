import type { Row } from '@/data/rows'
import { editableFields, isEditable, kindOf } from '@/resource/fields/kinds'
import type { Condition, Definition, Filter } from '@/resource/language/definition.generated'
import { canCreate, formOf } from '@/resource/language/naming'
import { filterFields } from '@/resource/request/filter/mentioned-fields'
import { compareKinds, matches } from '@/resource/request/filter/predicate'
import { type FilterScope, resolveValue } from '@/resource/request/filter/scope'
import { titleFields } from '@/resource/request/query/title'

/** Whether the filter can be judged by the target's own columns alone. */
function isOwn(target: Definition, filter: Filter): boolean {
  return filterFields(filter).every((name) => {
    const field = target.fields[name]
    return field !== undefined && !field.from && kindOf(field.type).detached !== true
  })
}

/** The columns to read of a chosen record, so that `where` can be judged again as other fields change. */
export function judgedFields(target: Definition, where: Filter | undefined): string[] {
  return where && isOwn(target, where) ? filterFields(where) : []
}

/**
 * The chosen records that `where` no longer allows because another field has changed since. A record passes where
 * the filter cannot be judged here because it reaches beyond the record.
 */
export function unfitRows(
  target: Definition,
  where: Filter | undefined,
  rows: readonly Row[],
  scope: FilterScope,
): Row[] {
  if (!where || !isOwn(target, where)) return []
  return rows.filter((row) => !matches(where, row, scope, compareKinds(target)))
}

/** More questions than this are no quick matter. */
const FEW = 8

/** Whether one can be created between two fields of another form. */
export function isQuickToCreate(target: Definition): boolean {
  const form = formOf(target)
  if (!canCreate(target) || form?.component || form?.steps || form?.tabs) return false
  const asked = editableFields(target)
  return (
    asked.length <= FEW &&
    asked.every((name) => {
      const field = target.fields[name]
      const kind = field && kindOf(field.type)
      return !(kind?.isLarge && field?.required) && !kind?.detached
    })
  )
}

/**
 * The typed text becomes the new record's title, where the title is a text of its own; values that `where` asks for
 * by equality are given, so that the new record may be chosen.
 */
export function presetOf(
  target: Definition,
  text: string,
  where: Filter | undefined,
  scope: FilterScope,
): Row {
  const given = Object.entries(where ?? {}).flatMap(([name, condition]) => {
    const equal = resolveValue((condition as Condition)._eq ?? null, scope)
    return equal !== null && isEditable(target.fields[name]) ? [[name, equal] as const] : []
  })
  const first = titleFields(target)[0]
  const title = first && target.fields[first]?.type === 'text' && text ? { [first]: text } : {}
  return { ...Object.fromEntries(given), ...title }
}
