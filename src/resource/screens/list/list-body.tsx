import { Button } from 'antd'
import { type ReactNode, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { DeniedError, OfflineError } from '@/data/errors'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { canCreate } from '@/resource/definition/naming'
import type { CellGrid } from '@/resource/inline/cell-grid'
import type { ListResult } from '@/resource/queries/use-list'
import type { ListColumn } from '@/resource/screens/list/columns'
import { isNarrowed, type ListSort, type ListState } from '@/resource/screens/list/list-state'
import { ListTable } from '@/resource/screens/list/list-table'
import { useErrorText } from '@/resource/use-error-text'
import type { ResourceWords } from '@/resource/words'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'

interface ListBodyProps {
  definition: Definition
  words: ResourceWords
  columns: readonly ListColumn[]
  result: ListResult
  state: ListState
  sort: readonly ListSort[]
  onChange: (change: Partial<ListState>) => void
  onHover: (row: Row) => void
  onResize: ((field: string, width: number) => void) | undefined
  linkState: unknown
  selection: { isSelected: (row: Row) => boolean; toggle: (row: Row) => void; toggleAll: () => void } | null
  rowMenu: ((row: Row) => ReactNode) | null
  grid: CellGrid | null
}

/** The five states of a list. Rows that are there stay on screen while a later request fails. */
export function ListBody(props: ListBodyProps) {
  const { result, words, state, onChange } = props
  const { t } = useTranslation('engine')
  const errorText = useErrorText()
  // The page answers the press first: rows that were read ahead come with the next frame, however many they are.
  const isFramePainted = useDeferredValue(true, false)
  if (!result.list) {
    if (result.error instanceof DeniedError)
      return (
        <DeniedState title={t('list.deniedTitle', { name: words.many })} text={errorText(result.error)} />
      )
    if (result.error) return <ErrorState text={errorText(result.error)} onRetry={result.refetch} />
    return <LoadingState rows={12} />
  }
  if (!isFramePainted) return <LoadingState rows={12} />
  const { rows } = result.list
  // A lost connection is the shell's to tell, once for the page; the rows stand as they were.
  const isOffline = result.error instanceof OfflineError
  if (rows.length > 0)
    return (
      <>
        {result.error && !isOffline ? (
          <ErrorState text={errorText(result.error)} onRetry={result.refetch} />
        ) : null}
        <ListTable {...props} rows={rows} isStale={result.isStale} onSort={(sort) => onChange({ sort })} />
      </>
    )
  if (state.page > 1)
    return (
      <EmptyState
        title={t('list.pastEnd')}
        action={<Button onClick={() => onChange({ page: 1 })}>{t('list.firstPage')}</Button>}
      />
    )
  if (isNarrowed(state))
    return (
      <EmptyState
        title={t('list.noMatch')}
        text={t('list.noMatchText', { name: words.many })}
        action={
          <Button onClick={() => onChange({ q: '', view: null, filters: {}, where: null, badWhere: null })}>
            {t('list.clearFilters')}
          </Button>
        }
      />
    )
  return (
    <EmptyState
      title={t('list.empty', { name: words.many })}
      text={words.text('empty') ?? t(canCreate(props.definition) ? 'list.emptyText' : 'list.emptyReadOnly')}
    />
  )
}
