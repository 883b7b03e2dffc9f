import { Select, Spin } from 'antd'
import type { ReactNode } from 'react'
import { useErrorText } from '@/resource/use-error-text'
import { useSearchText } from '@/ui/picker'
import { useChoices } from './use-choices'

/** The properties that every choice has. */
export interface Named {
  id: string
  name: string
}

interface RecordSelectProps<T extends Named> {
  id?: string
  resource: string
  /** The columns of a choice, as PostgREST's `select`. */
  select: string
  /** Only records of this company; null for all companies in scope. */
  companyId: string | null
  label: string
  placeholder: string
  /** In place of choices where there are none. */
  nothing: string
  value: T | null
  /** Choices that come before all others while nothing is searched for. */
  first?: readonly T[]
  /** Beside a choice's name. */
  aside?: (choice: T) => ReactNode
  onChange: (choice: T) => void
}

/** Selects one record by its name, searched on the server. */
export function RecordSelect<T extends Named>(props: RecordSelectProps<T>) {
  const { id, resource, companyId, label, placeholder, nothing, value, aside, onChange } = props
  const errorText = useErrorText()
  const { text, isTyping, end, select } = useSearchText()
  const { query, choices: found } = useChoices<T>({ resource, select: props.select, companyId, text })
  const preferred = text === '' ? (props.first ?? []) : []
  const known = new Set(preferred.map(({ id: key }) => key))
  const choices = isTyping ? [] : [...preferred, ...(found ?? []).filter(({ id: key }) => !known.has(key))]
  return (
    <Select<{ value: string; label: string }>
      id={id}
      aria-label={label}
      className="l-full"
      placeholder={placeholder}
      labelInValue
      value={value ? { value: value.id, label: value.name } : null}
      {...select}
      loading={isTyping || query.isFetching}
      notFoundContent={
        isTyping || query.isPending ? <Spin size="small" /> : query.isError ? errorText(query.error) : nothing
      }
      options={choices.map((each) => ({ value: each.id, label: each.name }))}
      optionRender={(option) => {
        const choice = choices.find((each) => each.id === option.value)
        return (
          <span className="l-spread">
            <span className="l-ellipsis">{choice?.name}</span>
            <span className="l-faint">{choice && aside?.(choice)}</span>
          </span>
        )
      }}
      onChange={(chosen) => {
        const choice = choices.find((each) => each.id === chosen.value)
        end()
        if (choice) onChange(choice)
      }}
    />
  )
}
