import FilterOutlined from '@ant-design/icons/es/icons/FilterOutlined'
import { Button } from 'antd'
import { Suspense, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { useMayChoose } from '@/resource/definition/use-readable'
import { filterNames } from '@/resource/filter/from-url'
import { whereStyle } from '@/resource/filter/where'
import { findDefinition } from '@/resource/registry'
import type { ListState } from '@/resource/screens/list/list-state'
import type { ResourceWords } from '@/resource/words'
import { lazyPart } from '@/ui/load-chunk'

// Pickers and calendars weigh more than the list; they come when somebody filters.
const FilterPanel = lazyPart(() =>
  import('@/resource/screens/list/filter-panel').then((module) => ({ default: module.FilterPanel })),
)
const FilterChips = lazyPart(() =>
  import('@/resource/screens/list/filter-chips').then((module) => ({ default: module.FilterChips })),
)
const FilterBuilder = lazyPart(() =>
  import('@/resource/filter-builder/filter-builder').then((module) => ({ default: module.FilterBuilder })),
)

interface FilterBarProps {
  definition: Definition
  words: ResourceWords
  state: ListState
  /** What else narrows the list, such as the record under which it stands. */
  extra: Filter | undefined
  onChange: (change: Partial<ListState>) => void
}

export function FilterBar(props: FilterBarProps) {
  const { definition, state, onChange } = props
  const { t } = useTranslation('engine')
  const hasChoice = useMayChoose()
  const names = filterNames(definition, findDefinition).filter((name) => {
    const field = definition.fields[name]
    return field === undefined || hasChoice(field)
  })
  const canBuild = Object.entries(definition.fields).some(
    ([name, field]) => whereStyle(definition, name) && hasChoice(field),
  )
  const count = Object.keys(state.filters).length + (state.where ? 1 : 0)
  const [isOpen, setOpen] = useState(false)
  const [isBuilding, setBuilding] = useState(false)
  const panelId = useId()
  if (names.length === 0 && !canBuild) return null
  const build = () => setBuilding(true)
  return (
    <>
      <Button
        icon={<FilterOutlined aria-hidden="true" />}
        aria-expanded={isOpen}
        aria-controls={panelId}
        onClick={() => setOpen(!isOpen)}
      >
        {count > 0 ? `${t('list.filters')} (${count})` : t('list.filters')}
      </Button>
      <div id={panelId} className="k-filter-panel" hidden={!isOpen}>
        {isOpen ? (
          <Suspense fallback={<span className="k-filter-loading" />}>
            <FilterPanel
              {...props}
              names={names}
              onBuild={canBuild ? build : null}
              onChange={(filters) => onChange({ filters })}
            />
          </Suspense>
        ) : null}
      </div>
      {count > 0 || state.badWhere ? (
        <Suspense fallback={<span className="k-chips" />}>
          <FilterChips {...props} onBuild={build} />
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
