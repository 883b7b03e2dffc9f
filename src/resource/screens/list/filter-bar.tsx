import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import FilterOutlined from '@ant-design/icons/es/icons/FilterOutlined'
import { Button } from 'antd'
import { lazy, Suspense, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/definition/definition.generated'
import { isFilterable } from '@/resource/screens/list/list-state'
import type { ResourceWords } from '@/resource/words'

// Pickers and calendars weigh more than the list; they come when somebody filters.
const FilterPanel = lazy(() =>
  import('@/resource/screens/list/filter-panel').then((module) => ({ default: module.FilterPanel })),
)

interface FilterBarProps {
  definition: Definition
  words: ResourceWords
  filters: Readonly<Record<string, string>>
  onChange: (filters: Readonly<Record<string, string>>) => void
}

export function FilterBar({ definition, words, filters, onChange }: FilterBarProps) {
  const { t } = useTranslation('engine')
  const names = Object.keys(definition.fields).filter((name) => isFilterable(definition.fields[name]))
  const count = Object.keys(filters).length
  const [isOpen, setOpen] = useState(count > 0)
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
              filters={filters}
              onChange={onChange}
            />
          </Suspense>
        ) : null}
        {count > 0 ? (
          <Button type="link" icon={<CloseOutlined aria-hidden="true" />} onClick={() => onChange({})}>
            {t('list.clearFilters')}
          </Button>
        ) : null}
      </div>
    </>
  )
}
