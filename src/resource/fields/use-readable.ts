import { useCallback, useMemo } from 'react'
import { useCan } from '@/access/use-can'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import { mayChoose, readableDefinition, refusedFields } from '@/resource/fields/guards'

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
