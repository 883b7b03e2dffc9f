import { Button, Modal } from 'antd'
import { type PointerEvent, type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useMayChoose } from '@/resource/fields/guards'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { MAX_CONDITIONS, parseWhere, type WhereReach, whereStyle } from '@/resource/request/filter/where'
import type { ListState } from '@/resource/request/query/list-state'
import { type ResourceScope, useResourceScope } from '@/resource/request/query/use-scope'
import { conditionsOf, toWhere } from '@/resource/screens/list/filter-builder/draft'
import { GroupBox } from '@/resource/screens/list/filter-builder/group-box'
import { fieldId, useDraft } from '@/resource/screens/list/filter-builder/use-draft'
import '@/resource/screens/list/filter-builder/filter-builder.css'
import { type BaseRecord, type HttpError, useList } from '@refinedev/core'
import { resourceKey } from '@/refine/keys'
import { findDefinition } from '@/resource/language/registry'
import { listRequest } from '@/resource/request/query/list-request'

/** Moves a condition or group by pointer, mouse or finger alike, to where it is held. */
function useNodeDrag(onDrop: (id: string, targetId: string, after: boolean) => void) {
  const [dragged, setDragged] = useState<string | null>(null)
  const grab = (id: string, down: PointerEvent<HTMLElement>) => {
    if (down.button !== 0) return
    let before = ''
    const handleMove = (move: globalThis.PointerEvent) => {
      const over = document
        .elementFromPoint(move.clientX, move.clientY)
        ?.closest<HTMLElement>('[data-where-node]')
      const targetId = over?.dataset.whereNode
      if (!over || !targetId || targetId === id) return
      const { top, height } = over.getBoundingClientRect()
      const after = move.clientY > top + height / 2
      // Once a place: the lines move under the pointer, and must not move back for it.
      if (before === `${targetId} ${after}`) return
      before = `${targetId} ${after}`
      setDragged(id)
      onDrop(id, targetId, after)
    }
    // On the window: the line that was grabbed moves in the page, which would end its capture.
    const stop = () => {
      window.removeEventListener('pointermove', handleMove)
      window.removeEventListener('pointerup', stop)
      window.removeEventListener('pointercancel', stop)
      setDragged(null)
    }
    window.addEventListener('pointermove', handleMove)
    window.addEventListener('pointerup', stop)
    window.addEventListener('pointercancel', stop)
  }
  return { dragged, grab }
}

/** The count is requested after a pause in typing. */
const PAUSE_MS = 300

/** How many rows the list would have with this filter, its search and other filters as they are. */
function useDraftCount(
  definition: Definition,
  state: ListState,
  scope: ResourceScope,
  extra: Filter | undefined,
  where: Filter | null,
) {
  const wanted = JSON.stringify(where)
  const [asked, setAsked] = useState(wanted)
  useEffect(() => {
    const timer = window.setTimeout(() => setAsked(wanted), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [wanted])
  const { q, view, filters } = state
  const context = {
    companyId: scope.companyId,
    scope: scope.filter,
    find: findDefinition,
    extra,
    source: scope.source,
  }
  const draft = { ...state, where: JSON.parse(asked) as Filter | null }
  const { count } = listRequest(definition, [], draft, context)
  const { query } = useList<BaseRecord, HttpError>({
    ...count,
    queryOptions: {
      // Not the request: `$now` would make a new question of every minute.
      queryKey: [
        ...resourceKey(definition.name),
        'list',
        { count: 'only', companyId: scope.companyId, q, view, filters, extra, asked },
      ],
      placeholderData: (previous) => previous,
      staleTime: 10_000,
    },
  })
  return {
    count: query.data?.total,
    isError: query.isError,
    isCounting: query.isFetching || asked !== wanted,
  }
}

interface FilterBuilderProps {
  definition: Definition
  words: ResourceWords
  state: ListState
  extra: Filter | undefined
  onApply: (where: Filter | null) => void
  onClose: () => void
  /** Where the filter is for something else than the list. */
  purpose?: FilterPurpose
}

export interface FilterPurpose {
  title: string
  text: string
  okText: string
  reach: WhereReach
  /** The text of a filter that has no conditions, and so cannot be applied. */
  emptyText: string
  /** Renders the matches of the filter, in place of the list's count. */
  renderMatches: (where: Filter) => ReactNode
}

/** Conditions joined by "all of" and "any of", as deep as anybody can still read; counted before they are applied. */
export function FilterBuilder(props: FilterBuilderProps) {
  const { definition, words, state, extra, onApply, onClose, purpose } = props
  const { t } = useTranslation('filters')
  const hasChoice = useMayChoose()
  const fields = Object.entries(definition.fields)
    .filter(([name, field]) => whereStyle(definition, name, purpose?.reach) && hasChoice(field))
    .map(([name]) => name)
  const { root, said, actions, clear } = useDraft(definition, state.where, fields[0] ?? '')
  const drag = useNodeDrag(actions.drop)
  const [shown, setShown] = useState<readonly string[]>([])
  const { where, missing } = toWhere(definition, root)
  const total = conditionsOf(root).length
  const isTooLong = where !== null && parseWhere(JSON.stringify(where), definition, purpose?.reach) === null
  const handleApply = () => {
    setShown(missing)
    const [first] = missing
    if (first) document.getElementById(`${fieldId(first)}-value`)?.focus()
    else onApply(where)
  }
  return (
    <Modal
      open
      width={860}
      title={purpose?.title ?? t('title', { name: words.many })}
      onCancel={onClose}
      footer={
        <div className="k-where-foot">
          <Button onClick={clear} disabled={total === 0}>
            {t('clear')}
          </Button>
          <span className="k-where-end">
            <Button onClick={onClose}>{t('cancel')}</Button>
            <Button
              type="primary"
              disabled={isTooLong || total > MAX_CONDITIONS || (purpose !== undefined && where === null)}
              onClick={handleApply}
            >
              {purpose?.okText ?? t('apply')}
            </Button>
          </span>
        </div>
      }
    >
      <div className="k-where">
        {purpose ? <p style={{ margin: 0 }}>{purpose.text}</p> : null}
        <GroupBox
          definition={definition}
          words={words}
          fields={fields}
          actions={actions}
          emptyText={purpose?.emptyText ?? t('emptyFilter')}
          canAdd={total < MAX_CONDITIONS}
          missing={shown.filter((id) => missing.includes(id))}
          dragged={drag.dragged}
          onGrab={drag.grab}
          node={root}
          place=""
          depth={1}
        />
        <div className="k-where-summary">
          {isTooLong ? (
            <p role="alert">{t('tooLong')}</p>
          ) : purpose ? (
            where ? (
              purpose.renderMatches(where)
            ) : total > 0 ? (
              <p>{purpose.emptyText}</p>
            ) : null
          ) : (
            <DraftCount definition={definition} state={state} extra={extra} where={where} />
          )}
          {missing.length > 0 ? <p>{t('left', { count: missing.length })}</p> : null}
          {total >= MAX_CONDITIONS ? <p>{t('tooMany', { count: MAX_CONDITIONS })}</p> : null}
        </div>
        <p className="k-visually-hidden" role="status">
          {said}
        </p>
      </div>
    </Modal>
  )
}

type DraftCountProps = Pick<FilterBuilderProps, 'definition' | 'state' | 'extra'> & { where: Filter | null }

function DraftCount({ definition, state, extra, where }: DraftCountProps) {
  const { t } = useTranslation('filters')
  const language = useLanguage()
  const { count, isError, isCounting } = useDraftCount(definition, state, useResourceScope(), extra, where)
  const text = isError
    ? t('countFailed')
    : count === undefined
      ? t('counting')
      : t('count', { count, rows: formatNumber(count, language) })
  return (
    <p className="k-where-count" role="status" aria-busy={isCounting}>
      {text}
    </p>
  )
}
