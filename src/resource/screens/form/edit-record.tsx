import { Alert } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { GoneError } from '@/data/errors'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useCache } from '@/refine/use-cache'
import { useRefusedFields } from '@/resource/fields/guards'
import type { Definition } from '@/resource/language/definition.generated'
import { type ResourceWords, useWords } from '@/resource/language/words'
import { useLiveRecord } from '@/resource/request/query/use-live'
import { recordMeta, useRecord } from '@/resource/request/query/use-record-query'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { ResourceForm } from '@/resource/screens/form/resource-form'
import { type Restored, readRestored } from '@/resource/screens/form/restored'
import { useErrorText } from '@/resource/use-error-text'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'

/** Says what the form was filled with, and which fields were not changed. */
function RestoreNotice({ restored, words }: { restored: Restored; words: ResourceWords }) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const left = restored.left.map(words.field).join(', ')
  return (
    <Alert
      className="k-form-notice"
      type="info"
      showIcon
      title={t('restore.filled', { when: formatDateTime(restored.at, language) })}
      description={left ? `${t('restore.text')} ${t('restore.left', { fields: left })}` : t('restore.text')}
    />
  )
}

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
  if (error instanceof GoneError) return <EmptyState title={t('show.gone', { name: words.one })} />
  if (error) return <ErrorState text={errorText(error)} onRetry={() => void query.refetch()} />
  return <LoadingState rows={8} />
}
