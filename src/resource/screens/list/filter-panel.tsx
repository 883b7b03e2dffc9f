import { DatePicker, Input, InputNumber, Select, Space } from 'antd'
import dayjs from 'dayjs'
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import { RecordPicker } from '@/resource/fields/relation/record-picker'
import { filterStyle, splitList, splitRange } from '@/resource/filter/from-url'
import { fieldAt, relatedField } from '@/resource/queries/related-field'
import { findDefinition } from '@/resource/registry'
import { useColumnWord } from '@/resource/screens/list/use-column-word'
import { type ResourceWords, useValueWord } from '@/resource/words'

interface FilterPanelProps {
  definition: Definition
  words: ResourceWords
  names: readonly string[]
  filters: Readonly<Record<string, string>>
  onChange: (filters: Readonly<Record<string, string>>) => void
}

interface FilterControlProps {
  id: string
  field: Field
  name: string
  resource: string
  value: string
  onChange: (value: string) => void
}

export function FilterPanel({ definition, words, names, filters, onChange }: FilterPanelProps) {
  const { t } = useTranslation('engine')
  const word = useColumnWord(definition, words)
  const base = useId()
  const set = (name: string, value: string) => {
    const { [name]: _before, ...rest } = filters
    onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  return (
    <div className="k-filters">
      {names.map((name) => {
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
              onChange={(value) => set(name, value)}
            />
          </div>
        )
      })}
    </div>
  )
}

function FilterControl(props: FilterControlProps) {
  switch (filterStyle(props.field)) {
    case 'choice':
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

function ChoiceFilter({ id, field, name, resource, value, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const word = useValueWord(resource, name)
  const isOpenList = field.type === 'text'
  const known =
    field.type === 'enum' ? Object.keys(field.values) : field.type === 'text' ? field.suggestions : []
  return (
    <Select
      id={id}
      className="k-full"
      mode={isOpenList ? 'tags' : 'multiple'}
      value={splitList(value)}
      placeholder={t('list.any')}
      options={(known ?? []).map((option) => ({ value: option, label: isOpenList ? option : word(option) }))}
      maxTagCount="responsive"
      allowClear
      onChange={(next: string[]) => onChange(next.join(','))}
    />
  )
}

function BooleanFilter({ id, value, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  return (
    <Select
      id={id}
      className="k-full"
      value={value === '' ? undefined : value}
      placeholder={t('list.any')}
      options={[
        { value: 'true', label: t('yes') },
        { value: 'false', label: t('no') },
      ]}
      allowClear
      onChange={(next?: string) => onChange(next ?? '')}
    />
  )
}

function RecordFilter({ id, field, value, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const to = field.type === 'relation' || field.type === 'many-to-many' ? field.to : 'profiles'
  return (
    <RecordPicker
      id={id}
      to={to}
      multiple
      value={splitList(value)}
      placeholder={t('list.any')}
      onChange={(ids) => onChange(ids.join(','))}
    />
  )
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
