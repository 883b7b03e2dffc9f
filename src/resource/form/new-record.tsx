import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import type { Definition } from '@/resource/definition/definition.generated'
import { canDuplicate } from '@/resource/definition/naming'
import { duplicateValues } from '@/resource/form/form-values'
import { ResourceForm } from '@/resource/form/resource-form'
import { useRecord } from '@/resource/query/use-record'
import { useResourceScope } from '@/resource/query/use-scope'
import { useErrorText } from '@/resource/use-error-text'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'

/** An empty form, or a copy of another record: `?duplicate=<id>`. */
export function NewRecord({ definition }: { definition: Definition }) {
  const [params] = useSearchParams()
  const origin = params.get('duplicate')
  if (origin === null || !canDuplicate(definition)) return <ResourceForm definition={definition} />
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
