import { Button, DatePicker, Input, InputNumber, Select, type SelectProps, Space } from 'antd'
import dayjs from 'dayjs'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition, Field, Filter } from '@/resource/definition/definition.generated'
import { filterStyle, splitRange } from '@/resource/filter/from-url'
import { fieldAt, relatedField } from '@/resource/queries/related-field'
import { findDefinition } from '@/resource/registry'
import { BooleanFilter, ChoiceFilter, RecordFilter } from '@/resource/screens/list/filter-choices'
import type { ListState } from '@/resource/screens/list/list-state'
import { useColumnWord } from '@/resource/screens/list/use-column-word'
import { useFilterGroups } from '@/resource/screens/list/use-filter-groups'
import type { ResourceWords } from '@/resource/words'

interface FilterPanelProps {
  definition: Definition
  words: ResourceWords
  names: readonly string[]
  state: ListState
  extra: Filter | undefined
  /** Opens the advanced filter; null where no field takes part in one. */
  onBuild: (() => void) | null
  onChange: (filters: Readonly<Record<string, string>>) => void
}

export interface FilterControlProps {
  id: string
  field: Field
  name: string
  resource: string
  value: string
  /** The list that is filtered: how many of its rows each choice would leave is shown beside it. */
  list: { definition: Definition; path: string; state: ListState; extra: Filter | undefined }
  onChange: (value: string) => void
}

export function FilterPanel({ definition, words, names, state, extra, onBuild, onChange }: FilterPanelProps) {
  const { t } = useTranslation('engine')
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
  // What narrows most lists is there at once; the other fields come when they are asked for.
  const isShown = (name: string) =>
    fieldAt(definition, name, findDefinition)?.filter === true || name in filters || added.includes(name)
  const shown = names.filter(isShown)
  const rest = names.filter((name) => !isShown(name))
  const set = (name: string, value: string) => {
    const { [name]: _before, ...rest } = filters
    onChange(value === '' ? rest : { ...rest, [name]: value })
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
              onChange={(value) => set(name, value)}
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

/** All further fields of the list, grouped as on the record's page and found by typing. */
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
        // Always empty: what is chosen becomes a filter of its own.
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
    case 'tags':
      return <ChoiceFilter {...props} />
    case 'boolean':
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

/** What is being typed; Back and a removed chip put it to what is in force. */
function useTyped(value: string) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  return [typed, setTyped] as const
}

function TextFilter({ id, value, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const [text, setText] = useTyped(value)
  const send = () => {
    if (text.trim() !== value) onChange(text.trim())
  }
  return (
    <Input
      id={id}
      value={text}
      placeholder={t('list.any')}
      allowClear
      onChange={(event) => setText(event.target.value)}
      onClear={() => onChange('')}
      onBlur={send}
      onPressEnter={send}
    />
  )
}

/** What a range is counted in, where the figures alone would not say. */
function unitOf(field: Field): string | undefined {
  if (field.type === 'percent') return '%'
  if (field.type === 'duration') return 's'
  return 'unit' in field && typeof field.unit === 'string' ? field.unit : undefined
}

function RangeFilter({ id, field, value, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const { from, to } = splitRange(value)
  const send = (nextFrom: string, nextTo: string) =>
    onChange(nextFrom === '' && nextTo === '' ? '' : `${nextFrom}..${nextTo}`)
  return (
    <Space.Compact block>
      <RangeEnd
        id={id}
        unit={unitOf(field)}
        placeholder={t('list.from')}
        value={from}
        onChange={(next) => send(next, to)}
      />
      <RangeEnd
        label={t('list.to')}
        unit={unitOf(field)}
        placeholder={t('list.to')}
        value={to}
        onChange={(next) => send(from, next)}
      />
    </Space.Compact>
  )
}

interface RangeEndProps {
  id?: string
  label?: string
  unit: string | undefined
  placeholder: string
  value: string
  onChange: (value: string) => void
}

/** Asks when the figure is finished, not at each of its digits. */
function RangeEnd({ id, label, unit, placeholder, value, onChange }: RangeEndProps) {
  const [typed, setTyped] = useTyped(value)
  const send = () => {
    if (typed !== value) onChange(typed)
  }
  return (
    <InputNumber
      id={id}
      className="k-full"
      aria-label={label}
      placeholder={placeholder}
      suffix={unit}
      value={typed === '' ? null : Number(typed)}
      onChange={(next) => setTyped(next === null ? '' : String(next))}
      onBlur={send}
      onPressEnter={send}
    />
  )
}

function DaysFilter({ id, value, onChange }: FilterControlProps) {
  const { from, to } = splitRange(value)
  const day = (text: string) => (text === '' ? null : dayjs(text))
  return (
    <DatePicker.RangePicker
      id={{ start: id }}
      className="k-full"
      format="DD.MM.YYYY"
      allowEmpty={[true, true]}
      value={[day(from), day(to)]}
      onChange={(next) => {
        const [start, end] = [next?.[0], next?.[1]].map((each) => each?.format('YYYY-MM-DD') ?? '')
        onChange(start || end ? `${start}..${end}` : '')
      }}
    />
  )
}
