import { type ReactNode, Suspense, useState } from 'react'
import { useMayChoose } from '@/resource/fields/guards'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import type { ResourceWords } from '@/resource/language/words'
import { columnOf, filterNames } from '@/resource/request/filter/from-url'
import { whereStyle } from '@/resource/request/filter/where'
import type { ListState } from '@/resource/request/query/list-state'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { lazyPart } from '@/ui/load-chunk'

// Pickers and calendars are larger than the list, so they load when the filters open.
const FilterPanel = lazyPart(() =>
  import('@/resource/screens/list/filter-panel').then((module) => ({ default: module.FilterPanel })),
)
const FilterChips = lazyPart(() =>
  import('@/resource/screens/list/filter-chips').then((module) => ({ default: module.FilterChips })),
)
const FilterBuilder = lazyPart(() =>
  import('@/resource/screens/list/filter-builder/filter-builder').then((module) => ({
    default: module.FilterBuilder,
  })),
)

interface FilterBarProps {
  definition: Definition
  words: ResourceWords
  state: ListState
  /** A further condition on the list, such as the record under which it is shown. */
  extra: Filter | undefined
  choices: FilterChoices
  panelId: string
  isOpen: boolean
  /** Follows the chips. */
  tools: ReactNode
  onChange: (change: Partial<ListState>, options?: { replace?: boolean }) => void
}

interface FilterChoices {
  names: string[]
  canBuild: boolean
}

/** The fields the list can be filtered by; null if there are none. */
export function useFilterChoices(
  definition: Definition,
  { companyId }: ResourceScope,
  extra: Filter | undefined,
): FilterChoices | null {
  const hasChoice = useMayChoose()
  const names = filterNames(definition, findDefinition).filter((name) => {
    const field = definition.fields[name]
    if (name === 'company_id' && companyId !== null) return false
    // Under a record, all rows have that record in common.
    if (extra && (field ? columnOf(name, field) : name) in extra) return false
    return field === undefined || hasChoice(field)
  })
  const canBuild = Object.entries(definition.fields).some(
    ([name, field]) => whereStyle(definition, name) && hasChoice(field),
  )
  return names.length > 0 || canBuild ? { names, canBuild } : null
}

export function filterCount({ filters, where }: ListState): number {
  return Object.keys(filters).length + (where ? 1 : 0)
}

/** The filters to choose from while they are open, and those in use. */
export function FilterBar({ choices, panelId, isOpen, tools, ...props }: FilterBarProps) {
  const { state, onChange } = props
  const [isBuilding, setBuilding] = useState(false)
  const build = () => setBuilding(true)
  return (
    <>
      <div id={panelId} className="k-filter-panel" hidden={!isOpen}>
        {isOpen ? (
          <Suspense fallback={<span className="k-filter-loading" />}>
            <FilterPanel
              {...props}
              names={choices.names}
              onBuild={choices.canBuild ? build : null}
              onChange={(filters, options) => onChange({ filters }, options)}
            />
          </Suspense>
        ) : null}
      </div>
      {filterCount(state) > 0 || state.badWhere ? (
        <Suspense fallback={<span className="k-chips" />}>
          <FilterChips {...props} tools={tools} onBuild={build} />
        </Suspense>
      ) : null}
      {isBuilding ? (
        <Suspense fallback={null}>
          <FilterBuilder
            {...props}
            onApply={(where) => {
              setBuilding(false)
              onChange({ where, badWhere: null })
            }}
            onClose={() => setBuilding(false)}
          />
        </Suspense>
      ) : null}
    </>
  )
}
