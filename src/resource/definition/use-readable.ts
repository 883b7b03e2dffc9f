import { useMemo } from 'react'
import { useAccess } from '@/access/use-access'
import type { Definition } from '@/resource/definition/definition.generated'
import { readableDefinition, refusedFields } from '@/resource/definition/guards'

/** The definition without the fields that the signed-in user may not read. */
export function useReadable(definition: Definition): Definition {
  const { can } = useAccess()
  return useMemo(
    () => readableDefinition(definition, ({ object, verb }) => can(object, verb).allowed),
    [definition, can],
  )
}

/** The fields that the signed-in user sees but may not change. */
export function useRefusedFields(definition: Definition): ReadonlySet<string> {
  const { can } = useAccess()
  return useMemo(
    () => refusedFields(definition, ({ object, verb }) => can(object, verb).allowed),
    [definition, can],
  )
}
