import type { FieldType } from '@/resource/fields/kind-interface'
import type { FieldScript } from '@/resource/fields/script-interface'
import { SCRIPTS } from '@/resource/fields/scripts.generated'

const known = new Map(Object.entries(SCRIPTS) as [FieldType, FieldScript][])

/** The column of a kind and its argument of `resource new`, for scripts. */
export function sqlOf(type: FieldType): FieldScript {
  const script = known.get(type)
  if (!script) throw new Error(`No field kind "${type}"`)
  return script
}

export function sqlKinds(): readonly (readonly [FieldType, FieldScript])[] {
  return [...known]
}
