import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { GoneError } from '@/data/errors'
import { useCache } from '@/refine/use-cache'
import type { Definition } from '@/resource/definition/definition.generated'
import { useRefusedFields } from '@/resource/definition/use-readable'
import { useLiveRecord } from '@/resource/queries/use-live'
import { recordMeta, useRecord } from '@/resource/queries/use-record'
import { useResourceScope } from '@/resource/queries/use-scope'
import { ResourceForm } from '@/resource/screens/form/resource-form'
import { RestoreNotice } from '@/resource/screens/show/restore-notice'
import { readRestored } from '@/resource/screens/show/restored'
import { useErrorText } from '@/resource/use-error-text'
import { useWords } from '@/resource/words'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'

interface EditRecordProps {
  definition: Definition
  id: string
}

/** The record under the form is live: the user learns of another change before saving, not by it. */
export function EditRecord({ definition, id }: EditRecordProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const scope = useResourceScope()
  const errorText = useErrorText()
  const query = useRecord(definition, id, scope)
  useLiveRecord(definition, id, scope)
  const { state } = useLocation()
  const restored = readRestored(state, definition, useRefusedFields(definition))
  const { data, error } = query
  const cache = useCache()
  const [isOpen, setOpen] = useState(false)
  // Waits for a refetch of outdated data: a form that starts from before the user's own last save would
  // report that save as somebody else's.
  const isOutdated =
    query.isFetching && cache.isOneOutdated(definition.name, id, recordMeta(definition, scope))
  if (data && !isOutdated && !isOpen) setOpen(true)
  if (data && (isOpen || !isOutdated))
    return (
      <>
        {restored ? <RestoreNotice restored={restored} words={words} /> : null}
        <ResourceForm
          definition={definition}
          record={data}
          restored={restored?.values}
          reload={query.refetch}
        />
      </>
    )
  if (error instanceof GoneError) return <EmptyState title={t('show.gone', { name: words.oneInPhrase })} />
  if (error) return <ErrorState text={errorText(error)} onRetry={() => void query.refetch()} />
  return <LoadingState rows={8} />
}
