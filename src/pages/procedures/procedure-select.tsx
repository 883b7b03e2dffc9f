import { useQuery } from '@tanstack/react-query'
import { Select, Spin } from 'antd'
import { useTranslation } from 'react-i18next'
import { useErrorText } from '@/resource/use-error-text'
import { useSearchText } from '@/ui/use-search-text'
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
  const { text, isTyping, select } = useSearchText()
  const query = useQuery({
    queryKey: [companyId ?? 'all', 'procedures', 'choices', text],
    queryFn: () => searchProcedures(text, companyId),
  })
  const choices = isTyping ? [] : (query.data ?? [])

  return (
    <Select<{ value: string; label: string }>
      id={id}
      aria-label={t('run.procedure')}
      style={{ width: '100%' }}
      placeholder={t('run.procedurePlaceholder')}
      labelInValue
      value={value ? { value: value.id, label: value.name } : null}
      {...select}
      loading={isTyping || query.isFetching}
      notFoundContent={
        isTyping || query.isPending ? (
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
        const choice = choices.find((each) => each.id === chosen.value)
        if (choice) onChange(choice)
      }}
    />
  )
}
