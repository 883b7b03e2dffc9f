import { DatePicker, Input, InputNumber, Select, Space } from 'antd'
import dayjs from 'dayjs'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import { RecordPicker } from '@/resource/fields/relation/record-picker'
import { filterStyle, splitList, splitRange } from '@/resource/filter/from-url'
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
  const base = useId()
  const set = (name: string, value: string) => {
    const { [name]: _before, ...rest } = filters
    onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  return (
    <div className="k-filters">
      {names.map((name) => {
        const field = definition.fields[name]
        if (!field) return null
        const id = `${base}-${name}`
        return (
          <div key={name} className="k-filter">
            <label htmlFor={id} title={t('list.filterBy', { field: words.field(name) })}>
              {words.field(name)}
            </label>
            <FilterControl
              id={id}
              field={field}
              name={name}
              resource={definition.name}
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
  const to = field.type === 'relation' || field.type === 'many-to-many' ? field.to : 'users'
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

function TextFilter({ id, value, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const [text, setText] = useState(value)
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

function RangeFilter({ id, value, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const { from, to } = splitRange(value)
  const send = (nextFrom: string, nextTo: string) =>
    onChange(nextFrom === '' && nextTo === '' ? '' : `${nextFrom}..${nextTo}`)
  return (
    <Space.Compact block>
      <InputNumber
        id={id}
        className="k-full"
        placeholder={t('list.from')}
        value={from === '' ? null : Number(from)}
        onChange={(next) => send(next === null ? '' : String(next), to)}
      />
      <InputNumber
        className="k-full"
        aria-label={t('list.to')}
        placeholder={t('list.to')}
        value={to === '' ? null : Number(to)}
        onChange={(next) => send(from, next === null ? '' : String(next))}
      />
    </Space.Compact>
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
