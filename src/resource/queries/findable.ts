import type { Definition } from '@/resource/definition/definition.generated'
import { hasShow } from '@/resource/definition/naming'
import { hasSearch } from '@/resource/queries/list-request'
import { titleFields } from '@/resource/queries/title'

const REFERENCES = new Set(['relation', 'user', 'many-to-many'])

/** Whether its records can be found by words, called by a title and opened. A key in the title calls nothing. */
export function isFindable(definition: Definition): boolean {
  const names = titleFields(definition)
  return (
    hasShow(definition) &&
    hasSearch(definition) &&
    names.length > 0 &&
    names.every((name) => {
      const field = definition.fields[name]
      return field !== undefined && field.from === undefined && !REFERENCES.has(field.type)
    })
  )
}
