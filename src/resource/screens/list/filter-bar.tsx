import FilterOutlined from '@ant-design/icons/es/icons/FilterOutlined'
import { Button } from 'antd'
import { lazy, Suspense, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { useMayChoose } from '@/resource/definition/use-readable'
import { filterNames } from '@/resource/filter/from-url'
import { findDefinition } from '@/resource/registry'
import type { ListState } from '@/resource/screens/list/list-state'
import type { ResourceWords } from '@/resource/words'

// Pickers and calendars weigh more than the list; they come when somebody filters.
const FilterPanel = lazy(() =>
  import('@/resource/screens/list/filter-panel').then((module) => ({ default: module.FilterPanel })),
)
const FilterChips = lazy(() =>
  import('@/resource/screens/list/filter-chips').then((module) => ({ default: module.FilterChips })),
)

interface FilterBarProps {
  definition: Definition
  words: ResourceWords
  state: ListState
  /** What else narrows the list, such as the record under which it stands. */
  extra: Filter | undefined
  onChange: (filters: Readonly<Record<string, string>>) => void
}

export function FilterBar({ definition, words, state, extra, onChange }: FilterBarProps) {
  const { filters } = state
  const { t } = useTranslation('engine')
  const hasChoice = useMayChoose()
  const names = filterNames(definition, findDefinition).filter((name) => {
    const field = definition.fields[name]
    return field === undefined || hasChoice(field)
  })
  const count = Object.keys(filters).length
  const [isOpen, setOpen] = useState(false)
  const panelId = useId()
  if (names.length === 0) return null
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
              definition={definition}
              words={words}
              names={names}
              state={state}
              extra={extra}
              onChange={onChange}
            />
          </Suspense>
        ) : null}
      </div>
      {count > 0 ? (
        <Suspense fallback={<span className="k-chips" />}>
          <FilterChips definition={definition} words={words} filters={filters} onChange={onChange} />
        </Suspense>
      ) : null}
    </>
  )
}
