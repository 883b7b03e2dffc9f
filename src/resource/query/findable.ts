import type { Definition } from '@/resource/definition/definition.generated'
import { hasShow } from '@/resource/definition/naming'
import { findKind } from '@/resource/fields/kinds'
import { hasSearch } from '@/resource/query/list-request'
import { titleFields } from '@/resource/query/title'

/** Whether its records can be found by words, called by a title and opened. A key in the title calls nothing. */
export function isFindable(definition: Definition): boolean {
  const names = titleFields(definition)
  return (
    hasShow(definition) &&
    hasSearch(definition) &&
    names.length > 0 &&
    names.every((name) => {
      const field = definition.fields[name]
      return field !== undefined && field.from === undefined && !findKind(field.type)?.target
    })
  )
}
