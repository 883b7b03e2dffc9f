import { useCallback } from 'react'
import type { Definition } from '@/resource/definition/definition.generated'
import { findDefinition } from '@/resource/definition/registry'
import { type ResourceWords, useFieldWords } from '@/resource/definition/words'
import { isDotted, relatedField } from '@/resource/fields/related-field'

/** The label of a column or filter. A related field has both names, unless the texts have a label for it. */
export function useColumnWord(definition: Definition, words: ResourceWords): (path: string) => string {
  const fieldWord = useFieldWords()
  return useCallback(
    (path) => {
      if (!isDotted(path)) return words.field(path)
      const own = words.text('columns', ...path.split('.'))
      if (own) return own
      const related = relatedField(definition, path, findDefinition)
      if (!related) return words.field(path)
      return `${words.field(related.relation)} · ${fieldWord(related.target, related.name)}`
    },
    [definition, words, fieldWord],
  )
}
