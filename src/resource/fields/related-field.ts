import { findKind } from '@/resource/fields/kinds'
import type { Definition, Field } from '@/resource/language/definition.generated'
import type { FindDefinition } from '@/resource/language/entry'
import { tableOf } from '@/resource/language/naming'

/** A field of the record that a relation points at, by its dotted name in a list: `device_id.os`. */
export interface RelatedField {
  /** The field of this resource that points at the record. */
  relation: string
  /** The field there. */
  name: string
  target: Definition
  field: Field
}

/** The resource whose record the field's column holds the key of. */
export function targetOf(field: Field | undefined): string | null {
  const kind = field && findKind(field.type)
  return kind?.detached ? null : ((field && kind?.target?.(field)) ?? null)
}

/** Whether a record cannot be deleted while the field of another one points at it. */
export function refusesDeletion(field: Field): boolean {
  if ('on_delete' in field && field.on_delete !== undefined) return field.on_delete === 'restrict'
  return field.required === true && field.when === undefined
}

/** The resource whose records the field names, in its own column or in a table between. */
export function linkedTo(field: Field | undefined): string | null {
  return (field && findKind(field.type)?.target?.(field)) ?? null
}

/**
 * Whether another field of the definition points at the same table. Each is then read by the name of its foreign key,
 * `<table>_<field>_fkey`, which begins with the field's own column: the embedded backend joins on the first one.
 */
export function sharesTarget(definition: Definition, name: string, find: FindDefinition): boolean {
  const own = tableAt(ownField(definition, name), find)
  return (
    own !== null &&
    Object.entries(definition.fields).some(([other, field]) => other !== name && tableAt(field, find) === own)
  )
}

/**
 * Whether a relation leads to records of its own resource. PostgREST reads the name of such a table as the records that
 * point here, and a composite key leaves it no other way: the record is read apart.
 */
export function pointsAtOwnTable(definition: Definition, name: string, find: FindDefinition): boolean {
  return tableAt(ownField(definition, name), find) === tableOf(definition)
}

function tableAt(field: Field | undefined, find: FindDefinition): string | null {
  const target = targetOf(field)
  if (target === null || field?.from) return null
  const found = find(target)
  return found ? tableOf(found) : target
}

export function isDotted(path: string): boolean {
  return path.includes('.')
}

/** Fields of other tables, and those that hold a key, cannot be shown through a relation. */
function isPlain(field: Field): boolean {
  const kind = findKind(field.type)
  return field.from === undefined && kind?.target === undefined && kind?.columns.length !== 0
}

/** Names come from addresses: `constructor` is no field. */
export function ownField({ fields }: Pick<Definition, 'fields'>, name: string): Field | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** Null when the name leads nowhere: a column like that is left out, and the linter says why. */
export function relatedField(
  definition: Definition,
  path: string,
  find: FindDefinition,
): RelatedField | null {
  const [relation, name, more] = path.split('.')
  if (!relation || !name || more !== undefined) return null
  const own = ownField(definition, relation)
  const targetName = targetOf(own)
  const target = targetName === null || own?.from ? null : find(targetName)
  const field = target ? ownField(target, name) : undefined
  return target && field && isPlain(field) ? { relation, name, target, field } : null
}

/** The field a list's column or filter is about, its own or a related one. */
export function fieldAt(definition: Definition, path: string, find: FindDefinition): Field | undefined {
  return isDotted(path) ? relatedField(definition, path, find)?.field : ownField(definition, path)
}

/** Whether a column of an inner table can be the key of its rows, or the label that keys are made from. */
export const isKeyText = (column: Field): boolean => column.type === 'text'
