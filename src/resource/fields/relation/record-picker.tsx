import { useQuery } from '@tanstack/react-query'
import { Select } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { supabase } from '@/data/client'
import { valueList } from '@/data/postgrest'
import { type Row, type RowSet, readRows } from '@/data/rows'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { listOf, tableOf } from '@/resource/definition/naming'
import { toPostgrest } from '@/resource/filter/postgrest'
import type { FilterScope } from '@/resource/filter/scope'
import { tableKey } from '@/resource/queries/keys'
import { hasSearch, orderOf } from '@/resource/queries/list-request'
import { buildSelect } from '@/resource/queries/select'
import { recordTitle, titleFields } from '@/resource/queries/title'
import { useResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'
import { parseSort } from '@/resource/screens/list/list-state'

/** Enough to choose from by eye; the rest is found by typing. */
const MOST = 30
const PAUSE_MS = 250

interface RecordPickerProps {
  id?: string
  /** The resource to choose from. */
  to: string
  where?: Filter
  /** What `$record` stands for in `where`. */
  record?: Row
  /** The company of the record being filled in, where it is not the one in view. */
  companyId?: string | null
  multiple?: boolean
  value: readonly string[]
  placeholder?: string
  disabled?: boolean
  allowClear?: boolean
  onBlur?: () => void
  onChange: (ids: string[]) => void
  'aria-required'?: boolean
  'aria-invalid'?: boolean
  'aria-describedby'?: string
}

const FALLBACK: Definition = { name: '', fields: { name: { type: 'text' } }, tenant: false, lock: false }

function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = window.setTimeout(() => setPaused(text), text === '' ? 0 : PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [text])
  return paused
}

/** A target without a search function of its own is found by the first field of its title. */
function searchCondition(target: Definition, text: string): Filter {
  const first = titleFields(target)[0]
  return text === '' || !first ? {} : { [first]: { _contains: text } }
}

function useChoices(target: Definition, props: RecordPickerProps, typed: string, isOpen: boolean) {
  const scope = useResourceScope()
  const text = usePaused(typed.trim())
  const companyId = target.tenant === false ? null : (props.companyId ?? scope.companyId)
  const filterScope: FilterScope = { ...scope.filter, record: props.record }
  const canSearch = hasSearch(target)
  const filters = [listOf(target)?.filter, props.where, canSearch ? {} : searchCondition(target, text)]
  const set: RowSet = {
    table: tableOf(target),
    companyId,
    where: filters.flatMap((filter) => (filter ? toPostgrest(filter, filterScope) : [])),
    search: canSearch && text ? { function: `search_${target.name}`, text } : null,
  }
  const base = tableKey(scope.companyId, tableOf(target))
  const select = buildSelect(target, titleFields(target), findDefinition)
  const order = orderOf(target, parseSort(listOf(target)?.sort ?? firstSort(target)))
  const found = useQuery({
    queryKey: [...base, 'choices', set],
    queryFn: ({ signal }) => readRows(supabase, { ...set, select, order, limit: MOST }, signal),
    enabled: isOpen,
    placeholderData: (previous) => previous,
  })
  // What is chosen always has its name, also when it is not among the first or no longer allowed.
  const chosen = useQuery({
    queryKey: [...base, 'chosen', [...props.value].sort()],
    queryFn: ({ signal }) => {
      const where = [{ column: 'id', operator: 'in', value: valueList(props.value) }]
      const set = { table: tableOf(target), companyId: null, where }
      return readRows(supabase, { ...set, select, order: [], limit: props.value.length }, signal)
    },
    enabled: props.value.length > 0,
    placeholderData: (previous) => previous,
  })
  return { found, chosen }
}

function firstSort(target: Definition): string | undefined {
  return titleFields(target).find((name) => target.fields[name]?.sort)
}

export function RecordPicker(props: RecordPickerProps) {
  const { to, multiple = false, value, onChange } = props
  const { t } = useTranslation('engine')
  const target = findDefinition(to) ?? { ...FALLBACK, name: to }
  const [typed, setTyped] = useState('')
  const [isOpen, setOpen] = useState(false)
  const { found, chosen } = useChoices(target, props, typed, isOpen)
  const titles = new Map(
    [...(chosen.data ?? []), ...(found.data ?? [])].map((row) => [String(row.id), recordTitle(target, row)]),
  )
  const options = (found.data ?? []).map((row) => ({
    value: String(row.id),
    label: titles.get(String(row.id)),
  }))
  const labelled = value.map((id) => ({ value: id, label: titles.get(id) ?? id.slice(0, 8) }))
  return (
    <Select
      id={props.id}
      className="k-full"
      labelInValue
      mode={multiple ? 'multiple' : undefined}
      value={multiple ? labelled : labelled[0]}
      options={options}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      loading={found.isFetching}
      disabled={props.disabled}
      placeholder={props.placeholder ?? t('picker.search')}
      allowClear={props.allowClear ?? true}
      maxTagCount="responsive"
      notFoundContent={found.isError ? t('picker.failed') : t('picker.none')}
      aria-required={props['aria-required']}
      aria-invalid={props['aria-invalid']}
      aria-describedby={props['aria-describedby']}
      onBlur={props.onBlur}
      onOpenChange={setOpen}
      onChange={(next: { value: string } | { value: string }[] | undefined) => {
        const all = next === undefined ? [] : Array.isArray(next) ? next : [next]
        onChange(all.map((option) => option.value))
      }}
    />
  )
}
