import { useTranslation } from 'react-i18next'
import { useLocation, useSearchParams } from 'react-router'
import type { Definition } from '@/resource/definition/definition.generated'
import { canDuplicate } from '@/resource/definition/naming'
import { useRefusedFields } from '@/resource/fields/guards'
import { duplicateValues } from '@/resource/form/form-values'
import { ResourceForm } from '@/resource/form/resource-form'
import { readPreset } from '@/resource/form/restored'
import { useRecord } from '@/resource/query/use-record-query'
import { useResourceScope } from '@/resource/query/use-scope'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'

/** An empty form, a copy of another record (`?duplicate=<id>`), or one that another page filled in. */
export function NewRecord({ definition }: { definition: Definition }) {
  const [params] = useSearchParams()
  const { state } = useLocation()
  const refused = useRefusedFields(definition)
  const origin = params.get('duplicate')
  if (origin === null || !canDuplicate(definition)) {
    const preset = readPreset(state, definition, refused)
    if (preset === null) return <ResourceForm definition={definition} />
    const { company_id: company, ...values } = preset
    return (
      <ResourceForm
        definition={definition}
        preset={values}
        companyId={typeof company === 'string' ? company : null}
      />
    )
  }
  return <Duplicate key={origin} definition={definition} id={origin} />
}

function Duplicate({ definition, id }: { definition: Definition; id: string }) {
  const { t } = useTranslation('engine')
  const errorText = useErrorText()
  const { data, error, refetch } = useRecord(definition, id, useResourceScope())
  if (data)
    return (
      <ResourceForm
        definition={definition}
        preset={duplicateValues(definition, data, t('form.copy'))}
        companyId={typeof data.company_id === 'string' ? data.company_id : null}
      />
    )
  if (error) return <ErrorState text={errorText(error)} onRetry={() => void refetch()} />
  return <LoadingState rows={8} />
}
