import { useTranslation } from 'react-i18next'
import { isDotted } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { formOf, showOf } from '@/resource/language/naming'
import type { ResourceWords } from '@/resource/language/words'

interface FilterGroup {
  /** A section of the record, `.relation` for the fields of a related record, or null for those in neither. */
  key: string | null
  names: string[]
}

/** Filters as the record's page groups its fields, so that people find them where they know them from. */
export function filterGroups(definition: Definition, names: readonly string[]): FilterGroup[] {
  const sections = showOf(definition)?.sections ?? formOf(definition)?.sections ?? {}
  const sectionOf = new Map<string, string>()
  for (const [section, lines] of Object.entries(sections))
    for (const name of lines.flatMap((line) => line.split(/\s+/)))
      if (!sectionOf.has(name)) sectionOf.set(name, section)
  const keyOf = (name: string) => (isDotted(name) ? `.${name.split('.')[0]}` : (sectionOf.get(name) ?? null))
  const order = [...Object.keys(sections), ...new Set(names.filter(isDotted).map(keyOf)), null]
  return order
    .map((key) => ({ key, names: names.filter((name) => keyOf(name) === key) }))
    .filter((group) => group.names.length > 0)
}

/** Fields to filter by under the headings of the record's page; one group without a heading where there is but one. */
export function useFilterGroups(
  definition: Definition,
  words: ResourceWords,
  names: readonly string[],
): { label: string | null; names: string[] }[] {
  const { t } = useTranslation('engine')
  const labelOf = (key: string | null) => {
    if (key === null) return t('list.otherFields')
    return key.startsWith('.') ? words.field(key.slice(1)) : words.section(key)
  }
  const groups = filterGroups(definition, names)
  return groups.map((group) => ({
    label: groups.length > 1 ? labelOf(group.key) : null,
    names: group.names,
  }))
}
