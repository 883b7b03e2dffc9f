import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/definition/definition.generated'
import type { ResourceWords } from '@/resource/definition/words'
import { filterGroups } from '@/resource/filter/filter-groups'

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
