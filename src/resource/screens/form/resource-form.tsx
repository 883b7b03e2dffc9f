import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import type { Row } from '@/data/rows'
import { useAfterCreate } from '@/resource/actions/after-create'
import type { Definition } from '@/resource/definition/definition.generated'
import { createdPath, hasShow, listPath, showPath } from '@/resource/definition/naming'
import { recordTitle } from '@/resource/queries/title'
import { RecordForm } from '@/resource/screens/form/record-form'
import { keptReturn, returnPath } from '@/resource/screens/return-path'
import { useWords } from '@/resource/words'
import { PageHeader } from '@/ui/page-header'

interface ResourceFormProps {
  definition: Definition
  record?: Row
  preset?: Row
  restored?: Row
  companyId?: string | null
  reload?: () => Promise<Row | undefined>
}

/** A form with its own page, which opens the record after saving. */
export function ResourceForm({ definition, record, ...rest }: ResourceFormProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const navigate = useNavigate()
  const location = useLocation()
  const afterCreate = useAfterCreate(definition)
  const back = record && hasShow(definition) ? showPath(definition, String(record.id)) : listPath(definition)
  const handleSaved = async (saved: Row) => {
    const next = record ? undefined : await afterCreate(saved)
    if (!hasShow(definition))
      return navigate(returnPath(location.state, listPath(definition)), { state: next })
    const id = String(saved.id)
    const path = record ? showPath(definition, id) : createdPath(definition, id)
    navigate(path, { state: { ...keptReturn(location.state, showPath(definition, id)), ...next } })
  }
  return (
    <div className="k-form-page">
      <PageHeader
        title={
          record
            ? t('form.editTitle', { title: recordTitle(definition, record) })
            : t('form.createTitle', { name: words.oneInPhrase })
        }
      />
      <RecordForm
        definition={definition}
        record={record}
        {...rest}
        onSaved={(saved) => void handleSaved(saved)}
        onCancel={() => navigate(returnPath(location.state, back))}
      />
    </div>
  )
}
