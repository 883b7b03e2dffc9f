import HolderOutlined from '@ant-design/icons/es/icons/HolderOutlined'
import { type BaseRecord, type HttpError, useList, useNotification } from '@refinedev/core'
import { Button, Drawer } from 'antd'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toDataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useRpcCall } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import type { ResourceWords } from '@/resource/language/words'
import { QueryState } from '@/resource/query-state'
import { moveColumn } from '@/resource/request/query/columns'
import { placesFor } from '@/resource/request/query/places'
import { buildSelect } from '@/resource/request/query/select'
import { recordTitle, titleFields } from '@/resource/request/query/title'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useRefresh } from '@/resource/request/query/use-write'
import { useRowDrag } from '@/resource/screens/list/use-row-drag'
import { useErrorText } from '@/resource/use-error-text'
import { EmptyState } from '@/ui/empty-state'
import { useLeaving } from '@/ui/leaving'
import { useSingleCall } from '@/ui/use-single-call'
import '@/resource/screens/list/columns/preferences.css'

/** A longer list is put into order by its numbers. */
const MAX_ORDERED = 500
/** The bounds of a PostgreSQL integer, where the field names none. */
const INTEGER = { min: 0, max: 2_147_483_647 }

interface Answer {
  id: string
  outcome: 'changed' | 'same' | 'stale' | 'gone' | 'refused'
  reason: unknown
}

interface OrderDialogProps {
  definition: Definition
  words: ResourceWords
  scope: ResourceScope
  /** The field that holds the order. */
  by: string
  onClose: () => void
}

/** The records of a company in their order, to be put into another one by dragging or with the arrow keys. */
export function OrderDialog({ definition, words, scope, by, onClose }: OrderDialogProps) {
  const { t } = useTranslation(['views', 'engine'])
  const { open } = useNotification()
  const errorText = useErrorText()
  const call = useRpcCall()
  const refresh = useRefresh(definition)
  const [moved, setMoved] = useState<readonly Row[] | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [said, setSaid] = useState('')
  useLeaving('changes', () => moved !== null)
  const isOfAll = definition.tenant !== false && scope.companyId === null
  const { query } = useList<BaseRecord, HttpError>({
    resource: definition.name,
    sorters: [by, 'id'].map((field) => ({ field, order: 'asc' })),
    pagination: { currentPage: 1, pageSize: MAX_ORDERED + 1, mode: 'server' },
    meta: {
      table: tableOf(definition),
      companyId: definition.tenant === false ? null : scope.companyId,
      select: buildSelect(definition, [...new Set([by, ...titleFields(definition)])], findDefinition),
      count: 'none',
    },
    queryOptions: { enabled: !isOfAll },
  })
  const read = query.data?.data as Row[] | undefined
  const drag = useRowDrag<Row>(moved ?? read ?? [], setMoved)
  const rows = drag.items
  const handleMove = (index: number, step: number) => {
    const to = index + step
    const row = rows[index]
    if (!row || to < 0 || to >= rows.length) return
    setMoved(moveColumn(rows, index, to))
    setSaid(t('columns.moved', { column: recordTitle(definition, row), place: to + 1, count: rows.length }))
  }
  const save = useSingleCall(async () => {
    const field = definition.fields[by]
    const bounds = { ...INTEGER, ...(field?.type === 'number' ? boundsOf(field) : {}) }
    const places = placesFor(
      rows.map((row) => Number(row[by] ?? bounds.min)),
      bounds,
    )
    if (!places) return
    const changes = rows.flatMap((row, at) =>
      row[by] === places[at]
        ? []
        : [
            {
              id: row.id,
              version: definition.lock === false ? null : (row.version ?? null),
              changes: { [by]: places[at] },
            },
          ],
    )
    setBusy(true)
    try {
      const answers = changes.length
        ? await call<Answer[]>('save_rows', { resource: tableOf(definition), rows: changes })
        : []
      const refused = answers.find(({ outcome }) => outcome !== 'changed' && outcome !== 'same')
      await refresh()
      setMoved(null)
      if (refused)
        open?.({
          type: 'error',
          message: t('order.failed'),
          description: refused.reason ? errorText(toDataError(refused.reason)) : t('order.changed'),
        })
      else {
        open?.({ type: 'success', message: t('order.saved') })
        onClose()
      }
    } catch (error) {
      open?.({ type: 'error', message: t('order.failed'), description: errorText(error) })
    } finally {
      setBusy(false)
    }
  })
  return (
    <Drawer
      open
      size={400}
      title={t('order.title', { records: words.many })}
      onClose={onClose}
      extra={
        <Button type="primary" loading={isBusy} disabled={moved === null} onClick={() => void save()}>
          {t('order.save')}
        </Button>
      }
    >
      {isOfAll ? (
        <EmptyState title={t('order.company')} />
      ) : read === undefined ? (
        <QueryState query={query} rows={6} />
      ) : read.length > MAX_ORDERED ? (
        <EmptyState title={t('order.tooMany', { count: MAX_ORDERED })} />
      ) : (
        <div className="k-columns">
          <p className="k-columns-hint">{t('order.hint')}</p>
          <ol className="k-columns-list" aria-label={words.many} ref={drag.listRef}>
            {rows.map((row, index) => (
              <OrderLine
                key={String(row.id)}
                name={recordTitle(definition, row)}
                index={index}
                count={rows.length}
                isDragged={drag.dragged === index}
                onGrab={(event) => drag.grab(index, event)}
                onMove={(step) => handleMove(index, step)}
              />
            ))}
          </ol>
          <p className="k-visually-hidden" role="status">
            {said}
          </p>
        </div>
      )}
    </Drawer>
  )
}

function boundsOf({ min, max }: { min?: number; max?: number }) {
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

interface OrderLineProps {
  name: string
  index: number
  count: number
  isDragged: boolean
  onGrab: (event: PointerEvent<HTMLButtonElement>) => void
  onMove: (step: -1 | 1) => void
}

function OrderLine({ name, index, count, isDragged, onGrab, onMove }: OrderLineProps) {
  const { t } = useTranslation('views')
  const handle = useRef<HTMLButtonElement>(null)
  const isMoving = useRef(false)
  // Moving the line in the page takes the focus off its handle, and the next press would go nowhere.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the place changes
  useEffect(() => {
    if (isMoving.current) handle.current?.focus()
    isMoving.current = false
  }, [index])
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    isMoving.current = true
    onMove(event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    <li className="k-column" data-dragged={isDragged}>
      <button
        ref={handle}
        type="button"
        className="k-column-handle"
        aria-label={t('columns.move', { column: name, place: index + 1, count })}
        onPointerDown={onGrab}
        onKeyDown={handleKeyDown}
      >
        <HolderOutlined aria-hidden="true" />
      </button>
      <span className="k-column-name">{name}</span>
    </li>
  )
}
