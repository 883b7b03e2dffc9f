import { Button, Select, type SelectProps } from 'antd'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fieldAt, relatedField } from '@/resource/fields/related-field'
import type { Definition, Field, Filter } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import type { ResourceWords } from '@/resource/language/words'
import { filterStyle } from '@/resource/request/filter/from-url'
import { useColumnWord } from '@/resource/request/query/columns'
import type { ListState } from '@/resource/request/query/list-state'
import { BooleanFilter, ChoiceFilter, RecordFilter } from '@/resource/screens/list/filter-choices'
import { useFilterGroups } from '@/resource/screens/list/filter-groups'
import { DaysFilter, RangeFilter, TextFilter } from '@/resource/screens/list/filter-inputs'

interface FilterPanelProps {
  definition: Definition
  words: ResourceWords
  names: readonly string[]
  state: ListState
  extra: Filter | undefined
  /** Opens the advanced filter; null if no field supports it. */
  onBuild: (() => void) | null
  onChange: (filters: Readonly<Record<string, string>>, options: ChangeOptions) => void
}

interface ChangeOptions {
  /** Whether Back leads to before it, and not to the value that it refines. */
  replace?: boolean
}

export interface FilterControlProps {
  id: string
  field: Field
  name: string
  resource: string
  value: string
  /** The filtered list. Each choice shows how many of its rows it would leave. */
  list: { definition: Definition; path: string; state: ListState; extra: Filter | undefined }
  onChange: (value: string, options?: ChangeOptions) => void
}

export function FilterPanel({ definition, words, names, state, extra, onBuild, onChange }: FilterPanelProps) {
  // With the words of the choices' figures: waiting for them when a choice is added would hide the panel.
  const { t } = useTranslation(['engine', 'bulk'])
  const { t: filtersT } = useTranslation('filters')
  const word = useColumnWord(definition, words)
  const base = useId()
  const { filters } = state
  const [added, setAdded] = useState<readonly string[]>([])
  const justAdded = useRef<string | null>(null)
  useEffect(() => {
    if (justAdded.current) document.getElementById(`${base}-${justAdded.current}`)?.focus()
    justAdded.current = null
  })
  // Common filters are always shown; other fields are added on request.
  const isShown = (name: string) =>
    fieldAt(definition, name, findDefinition)?.filter === true || name in filters || added.includes(name)
  // Added fields keep the order in which they were added.
  const shown = [
    ...names.filter((name) => isShown(name) && !added.includes(name)),
    ...added.filter((name) => names.includes(name)),
  ]
  const rest = names.filter((name) => !isShown(name))
  const set = (name: string, value: string, options: ChangeOptions) => {
    const { [name]: _before, ...rest } = filters
    onChange(value === '' ? rest : { ...rest, [name]: value }, options)
  }
  return (
    <div className="k-filters">
      {shown.map((name) => {
        const field = fieldAt(definition, name, findDefinition)
        if (!field) return null
        const related = relatedField(definition, name, findDefinition)
        const id = `${base}-${name}`
        return (
          <div key={name} className="k-filter">
            <label htmlFor={id} title={t('list.filterBy', { field: word(name) })}>
              {word(name)}
            </label>
            <FilterControl
              id={id}
              field={field}
              name={related?.name ?? name}
              resource={related?.target.name ?? definition.name}
              value={filters[name] ?? ''}
              list={{ definition, path: name, state, extra }}
              onChange={(value, options = {}) => set(name, value, options)}
            />
          </div>
        )
      })}
      {rest.length > 0 ? (
        <AddFilter
          id={`${base}-add`}
          definition={definition}
          words={words}
          names={rest}
          onAdd={(name) => {
            justAdded.current = name
            setAdded([...added, name])
          }}
        />
      ) : null}
      {onBuild ? (
        <Button className="k-filter-build" type="link" aria-haspopup="dialog" onClick={onBuild}>
          {filtersT('open')}
        </Button>
      ) : null}
    </div>
  )
}

interface AddFilterProps {
  id: string
  definition: Definition
  words: ResourceWords
  names: readonly string[]
  onAdd: (name: string) => void
}

/** All further fields of the list, grouped as on the record's page, with search. */
function AddFilter({ id, definition, words, names, onAdd }: AddFilterProps) {
  const { t } = useTranslation('engine')
  const word = useColumnWord(definition, words)
  const groups = useFilterGroups(definition, words, names)
  const options = groups.flatMap(({ label, names: inner }): NonNullable<SelectProps['options']> => {
    const fields = inner.map((name) => ({ value: name, label: word(name) }))
    return label === null ? fields : [{ label, title: label, options: fields }]
  })
  return (
    <div className="k-filter">
      <label htmlFor={id}>{t('list.addFilter')}</label>
      <Select<string>
        id={id}
        className="k-full"
        // Always empty: a chosen field becomes a separate filter.
        value={null as never}
        placeholder={t('list.chooseField')}
        options={options}
        showSearch={{ optionFilterProp: 'label' }}
        popupMatchSelectWidth={false}
        listHeight={320}
        onSelect={onAdd}
      />
    </div>
  )
}

function FilterControl(props: FilterControlProps) {
  switch (filterStyle(props.field)) {
    case 'choice':
    case 'words':
      return <ChoiceFilter {...props} />
    case 'yesNo':
      return <BooleanFilter {...props} />
    case 'record':
      return <RecordFilter {...props} />
    case 'range':
      return <RangeFilter {...props} />
    case 'days':
      return <DaysFilter {...props} />
    default:
      return <TextFilter {...props} />
  }
}
