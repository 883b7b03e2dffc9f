import { useQuery } from '@tanstack/react-query'
import { Select, Spin } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useDebounced } from '@/pages/devices/use-debounced'
import { useErrorText } from '@/resource/use-error-text'
import { type ProcedureChoice, searchProcedures } from './procedure-data'

type Props = {
  id?: string
  value: ProcedureChoice | null
  onChange: (procedure: ProcedureChoice) => void
  companyId: string | null
}

export function ProcedureSelect({ id, value, onChange, companyId }: Props) {
  const { t } = useTranslation('procedures')
  const errorText = useErrorText()
  const [typed, setTyped] = useState('')
  const text = useDebounced(typed)
  const query = useQuery({
    queryKey: [companyId ?? 'all', 'procedures', 'choices', text],
    queryFn: () => searchProcedures(text, companyId),
    placeholderData: (before) => before,
  })
  const offered = query.data ?? []
  const choices =
    value === null || offered.some((each) => each.id === value.id) ? offered : [value, ...offered]

  return (
    <Select<string>
      id={id}
      aria-label={t('run.procedure')}
      style={{ width: '100%' }}
      placeholder={t('run.procedurePlaceholder')}
      value={value?.id ?? null}
      showSearch={{ filterOption: false, onSearch: setTyped }}
      loading={query.isFetching}
      notFoundContent={
        query.isPending ? (
          <Spin size="small" />
        ) : query.isError ? (
          errorText(query.error)
        ) : (
          t('run.noProcedure')
        )
      }
      options={choices.map((each) => ({ value: each.id, label: each.name }))}
      optionRender={(option) => {
        const choice = choices.find((each) => each.id === option.value)
        return (
          <span style={{ display: 'flex', gap: 8, justifyContent: 'space-between' }}>
            <span style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>{choice?.name}</span>
            <span style={{ color: 'var(--k-text-faint)' }}>{choice?.type}</span>
          </span>
        )
      }}
      onChange={(chosen) => {
        const choice = choices.find((each) => each.id === chosen)
        if (choice) onChange(choice)
      }}
    />
  )
}
