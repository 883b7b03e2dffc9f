import { useSelect } from '@refinedev/core'
import { Select, Spin } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useErrorText } from '@/resource/use-error-text'
import { useSearchText } from '@/ui/use-search-text'
import { PROCEDURE_CHOICE, type ProcedureChoice, type ProcedureRow, toChoice } from './procedure-data'

const CHOICES = 30

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
  // The options come from the query's data: the hook's `options` outlive their query.
  const { query } = useSelect<ProcedureRow>({
    resource: 'procedures',
    sorters: [{ field: 'name_key', order: 'asc' }],
    pagination: { pageSize: CHOICES },
    meta: { companyId, select: PROCEDURE_CHOICE, search: text, count: 'none' },
    errorNotification: false,
  })
  const choices = useMemo(
    () => (isTyping ? [] : (query.data?.data ?? []).map(toChoice)),
    [isTyping, query.data],
  )

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
