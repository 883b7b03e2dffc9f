import { useCallback, useMemo } from 'react'
import { useCan } from '@/access/use-can'
import { findKind } from '@/resource/fields/kinds'
import type { Definition, Field, Policy } from '@/resource/language/definition.generated'

type Allows = (policy: Policy) => boolean

function mayRead(field: Field, allows: Allows): boolean {
  const needed = field.guard?.read
  return needed === undefined || allows(needed)
}

/**
 * The definition as a user may see it, without the fields they may not read, so that no screen requests them.
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
  const target = findKind(field.type)?.target?.(field)
  const object = field.type === 'user' ? 'users' : target
  return !object || allows({ object, verb: 'list' })
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
