import StarFilled from '@ant-design/icons/es/icons/StarFilled'
import { useList } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import { RecordSelect } from '@/runs/targets/record-select'
import { PROCEDURE_CHOICE, type ProcedureChoice, type ProcedureRow, toChoice } from './procedure-data'

type Props = {
  id?: string
  value: ProcedureChoice | null
  onChange: (procedure: ProcedureChoice) => void
  companyId: string | null
}

export function ProcedureSelect({ id, value, onChange, companyId }: Props) {
  const { t } = useTranslation('procedures')
  // Row-level security shows everybody their own.
  const { query } = useList<{ procedure: ProcedureRow | null }>({
    resource: 'procedure_favorites',
    sorters: [{ field: 'created_at', order: 'asc' }],
    pagination: { mode: 'off' },
    meta: { companyId, select: `procedure:procedures(${PROCEDURE_CHOICE})`, limit: 20, count: 'none' },
  })
  const favorites = (query.data?.data ?? []).flatMap(({ procedure }) => procedure ?? [])
  const starred = new Set(favorites.map(({ id: key }) => key))
  return (
    <RecordSelect<ProcedureRow>
      {...(id ? { id } : {})}
      resource="procedures"
      select={PROCEDURE_CHOICE}
      companyId={companyId}
      label={t('run.procedure')}
      placeholder={t('run.procedurePlaceholder')}
      nothing={t('run.noProcedure')}
      value={value as ProcedureRow | null}
      first={favorites}
      aside={({ id: key, type }) => (
        <>
          {type} {starred.has(key) ? <StarFilled aria-label={t('run.favorite')} /> : null}
        </>
      )}
      onChange={(row) => onChange(toChoice(row))}
    />
  )
}
