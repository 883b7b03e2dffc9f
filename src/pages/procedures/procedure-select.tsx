import { useTranslation } from 'react-i18next'
import { RecordSelect } from '@/pages/devices/record-select'
import { PROCEDURE_CHOICE, type ProcedureChoice, type ProcedureRow, toChoice } from './procedure-data'

type Props = {
  id?: string
  value: ProcedureChoice | null
  onChange: (procedure: ProcedureChoice) => void
  companyId: string | null
}

export function ProcedureSelect({ id, value, onChange, companyId }: Props) {
  const { t } = useTranslation('procedures')
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
      aside={({ type }) => type}
      onChange={(row) => onChange(toChoice(row))}
    />
  )
}
