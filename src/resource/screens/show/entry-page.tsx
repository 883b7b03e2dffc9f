import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { DeniedError } from '@/data/errors'
import { useErrorText } from '@/resource/use-error-text'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'

interface EntryPageProps<Entry> {
  query: { data: readonly Entry[] | undefined; error: unknown; refetch: () => unknown }
  /** A shorter page is the last one. */
  size: number
  /** The text of an empty first page; absent on later pages. */
  empty?: { title: string; text: string }
  children: (entry: Entry) => ReactNode
  /** The page after this entry. */
  next: (last: Entry) => ReactNode
}

/** A page of a record's history, followed by the next one on request. */
export function EntryPage<Entry>({ query, size, empty, children, next }: EntryPageProps<Entry>) {
  const { t } = useTranslation('engine')
  const errorText = useErrorText()
  const [isMore, setMore] = useState(false)
  const { data, error, refetch } = query
  const failure = error ? <ErrorState text={errorText(error)} onRetry={() => void refetch()} /> : null
  if (!data) {
    if (error instanceof DeniedError) return <DeniedState text={errorText(error)} />
    return failure ?? <LoadingState rows={6} />
  }
  if (data.length === 0 && empty) return <EmptyState {...empty} />
  const last = data.at(-1)
  return (
    <>
      <ol>{data.map(children)}</ol>
      {failure}
      {last === undefined || data.length < size ? null : isMore ? (
        next(last)
      ) : (
        <Button onClick={() => setMore(true)}>{t('activity.more')}</Button>
      )}
    </>
  )
}
