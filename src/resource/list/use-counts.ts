import { useTranslation } from 'react-i18next'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import type { ListState } from '@/resource/query/list-state'
import { useFacets } from '@/resource/query/use-facets'
import { useResourceScope } from '@/resource/query/use-scope'

/** The maximum number of counted choices; beyond it a choice without a figure may still have rows. */
const MAX_COUNTED = 50

interface CountedList {
  definition: Definition
  path: string
  state: ListState
  extra: Filter | undefined
}

/** The values that the rows of a list have, and how many rows each would leave; undefined while that is not known. */
export function useCounts({ definition, path, state, extra }: CountedList) {
  const { t } = useTranslation('bulk')
  const facets = useFacets(definition, path, state, useResourceScope(), extra)
  const counts = new Map(facets?.flatMap(({ value, count }) => (value === null ? [] : [[value, count]])))
  const isWhole = facets !== undefined && facets.length < MAX_COUNTED
  const withCount = (value: string, label: string) => {
    const count = counts.get(value) ?? (isWhole ? 0 : undefined)
    return count === undefined ? label : t('facet', { label, count })
  }
  return { values: [...counts.keys()], withCount }
}
