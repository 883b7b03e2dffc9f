import type { CompareAs } from '@/resource/definition/compare-as'
import type { Definition } from '@/resource/definition/definition.generated'
import { valueKindOf } from '@/resource/fields/kinds'

/** How each field of a resource compares, for filters that are evaluated here. */
export function compareKinds(definition: Definition): (field: string) => CompareAs {
  return (name) => {
    const field = definition.fields[name]
    return field ? valueKindOf(field).compare : 'text'
  }
}
