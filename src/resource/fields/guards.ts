import { useCallback, useMemo } from 'react'
import { isOutOfRole } from '@/access/policy'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { findKind, isEditable, spanOf } from '@/resource/fields/kinds'
import type { Definition, Field, Policy } from '@/resource/language/definition.generated'
import { canEdit, namesOf } from '@/resource/language/naming'

type Allows = (policy: Policy) => boolean

function mayRead(field: Field, allows: Allows): boolean {
  const { read, show } = field.guard ?? {}
  return [read, show].every((needed) => needed === undefined || allows(needed))
}

/**
 * The definition as a user may see it, without the fields they may not read or are not shown, so that no screen
 * requests them.
 * Returns the same object when nothing is removed.
 */
export function readableDefinition(definition: Definition, allows: Allows): Definition {
  const fields = Object.entries(definition.fields)
  const readable = fields.filter(([, field]) => mayRead(field, allows))
  return readable.length === fields.length
    ? definition
    : { ...definition, fields: Object.fromEntries(readable) }
}

/** Fields that the user sees but may not change. The database refuses the change, too. */
export function refusedFields(definition: Definition, allows: Allows): ReadonlySet<string> {
  return new Set(
    Object.entries(definition.fields)
      .filter(([, field]) => field.guard?.write !== undefined && !allows(field.guard.write))
      .map(([name]) => name),
  )
}

/**
 * Whether the user can read the options: a picker of records that they may not list is always empty, so no
 * form and no filter offers it.
 */
export function mayChoose(field: Field, allows: Allows): boolean {
  const kind = findKind(field.type)
  // A component reads its choices in a way of its own.
  if (kind?.isUpload || (field.type === 'relation' && field.component !== undefined)) return true
  const target = kind?.target?.(field)
  return !target || allows({ object: namesOf(target), verb: 'list' })
}

/** The definition without the fields that the signed-in user may not read. */
export function useReadable(definition: Definition): Definition {
  const can = useCan()
  return useMemo(
    () => readableDefinition(definition, ({ object, verb }) => can(object, verb).allowed),
    [definition, can],
  )
}

/** The fields that the signed-in user sees but may not change. */
export function useRefusedFields(definition: Definition): ReadonlySet<string> {
  const can = useCan()
  return useMemo(
    () => refusedFields(definition, ({ object, verb }) => can(object, verb).allowed),
    [definition, can],
  )
}

/** Tells whether the signed-in user can read the options of a field. */
export function useMayChoose(): (field: Field) => boolean {
  const can = useCan()
  return useCallback(
    (field: Field) => mayChoose(field, ({ object, verb }) => can(object, verb).allowed),
    [can],
  )
}

/** Whether the user is asked for a field at all, whatever the record is. */
export function useAskedField(definition: Definition): (name: string) => boolean {
  const can = useCan()
  const hasChoice = useMayChoose()
  return useCallback(
    (name) => {
      const field = definition.fields[name]
      const needed = field?.guard?.write
      if (needed && isOutOfRole(can(needed.object, needed.verb))) return false
      // A span is typed in place of its two moments.
      const moments = spanOf(field)
      if (moments) return moments.every((moment) => isEditable(definition.fields[moment]))
      return isEditable(field) && hasChoice(field)
    },
    [definition, can, hasChoice],
  )
}

/** Whether the signed-in user may set a field outside a form. */
export function useMayEditInPlace(definition: Definition, name: string | null, record?: Row): boolean {
  const can = useCan()
  const refused = useRefusedFields(definition)
  const choosable = useMayChoose()
  const field = name === null ? undefined : definition.fields[name]
  if (name === null || !field || !canEdit(definition)) return false
  // The component of a relation chooses which records its form offers; the picker of the kind edits it as well.
  const hasControl = !field.component || findKind(field.type)?.target !== undefined
  const isOpen = isEditable(field) && !field.once && hasControl && !refused.has(name)
  return isOpen && choosable(field) && can(definition.name, 'edit', record).allowed
}
