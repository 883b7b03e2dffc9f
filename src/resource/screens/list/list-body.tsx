import { Button } from 'antd'
import { type ReactNode, Suspense, useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { DeniedError, OfflineError } from '@/data/errors'
import { isLong } from '@/data/pieces'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { canCreate } from '@/resource/language/naming'
import type { ResourceWords } from '@/resource/language/words'
import type { ListColumn } from '@/resource/request/query/columns'
import { writeCursor } from '@/resource/request/query/list-request'
import { isNarrowed, type ListSort, type ListState, SCROLL_SIZE } from '@/resource/request/query/list-state'
import type { Density } from '@/resource/request/query/saved-views'
import type { ListResult } from '@/resource/request/query/use-list-query'
import { FirstCompany, useNeedsCompany } from '@/resource/screens/list/first-company'
import { ListTable, type LongTable, type TickColumn } from '@/resource/screens/list/list-table'
import { TableFrame } from '@/resource/screens/list/table-frame'
import type { CellGrid } from '@/resource/tools/inline/cell-grid'
import { useErrorText } from '@/resource/use-error-text'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { lazyPart } from '@/ui/load-chunk'
import { LoadingState, Skeleton } from '@/ui/loading-state'
import { Notice } from '@/ui/notice'

const LongEnd = lazyPart(() =>
  import('@/resource/screens/list/long-end').then((module) => ({ default: module.LongEnd })),
)

interface ListBodyProps {
  definition: Definition
  words: ResourceWords
  columns: readonly ListColumn[]
  result: ListResult
  state: ListState
  sort: readonly ListSort[]
  density: Density
  /** Shown when there is no row at all, instead of the definition's words. */
  empty: ReactNode
  /** Actions for the selection; null when nothing is selected. */
  bar: ReactNode
  onChange: (change: Partial<ListState>) => void
  onHover: (row: Row) => void
  onResize: ((field: string, width: number) => void) | undefined
  linkState: unknown
  selection: { isSelected: (row: Row) => boolean; toggle: (row: Row) => void; toggleAll: () => void } | null
  tick: TickColumn | null
  rowMenu: ((row: Row) => ReactNode) | null
  grid: CellGrid | null
}

/** A table needs these when only some of its rows are in the document. */
function longTable({ list, more, total }: ListResult, state: ListState): LongTable | null {
  if (!list || !isLong(list.rows.length)) return null
  return {
    before: list.hasPrevious ? (state.page - 1) * state.pageSize : 0,
    total,
    isEager: state.pageSize !== SCROLL_SIZE,
    onNearEnd: () => more?.load(),
  }
}

/** The five states of a list. Rows that are there stay on screen while a later request fails. */
export function ListBody(props: ListBodyProps) {
  const { result, words, state, onChange } = props
  const { t } = useTranslation('engine')
  const { t: common } = useTranslation('common')
  const errorText = useErrorText()
  const { pathname, search } = useLocation()
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
  if (!isFramePainted) return <Skeleton rows={12} />
  const { rows } = result.list
  // The shell reports a lost connection once per page; the rows stay visible.
  const isOffline = result.error instanceof OfflineError
  // With rows on screen, the message is in the bottom bar, where it does not move them.
  const failure =
    result.error && !isOffline ? (
      <div className="k-list-failure">
        <Notice tone="error" role="alert" title={t('list.stale')} text={errorText(result.error)} />
        <Button onClick={result.refetch}>{common('actions.retry')}</Button>
      </div>
    ) : null
  if (rows.length > 0)
    return (
      <>
        <TableFrame
          label={t('list.scroll', { name: words.many })}
          isLong={isLong(rows.length)}
          isStale={result.isStale}
          bar={
            failure || props.bar ? (
              <>
                {failure}
                {props.bar}
              </>
            ) : null
          }
        >
          {(box) => (
            <ListTable
              {...props}
              rows={rows}
              box={box}
              place={`${pathname}${search}`}
              long={longTable(result, state)}
              onSort={(sort) => onChange({ sort })}
            />
          )}
        </TableFrame>
        {result.more && isLong(rows.length) ? (
          <Suspense fallback={null}>
            <LongEnd
              more={result.more}
              loaded={rows.length}
              onNext={
                result.list.hasNext && state.pageSize === SCROLL_SIZE
                  ? () => onChange({ page: state.page + 1, cursor: writeCursor(rows, result.order, 'after') })
                  : null
              }
            />
          </Suspense>
        ) : null}
      </>
    )
  return (
    <>
      <NoRows {...props} />
      {props.bar}
    </>
  )
}

/** Why the list is empty. */
function NoRows({ definition, words, state, empty, onChange }: ListBodyProps) {
  const { t } = useTranslation('engine')
  const needsCompany = useNeedsCompany() && definition.tenant !== false
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
  if (empty) return empty
  if (needsCompany) return <FirstCompany />
  return (
    <EmptyState
      title={words.emptyTitle ?? t('list.empty', { name: words.many })}
      text={words.empty ?? t(canCreate(definition) ? 'list.emptyText' : 'list.emptyReadOnly')}
    />
  )
}
