import MoreOutlined from '@ant-design/icons/es/icons/MoreOutlined'
import { Button } from 'antd'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import type { Row } from '@/data/rows'
import { useMayChoose, useRefusedFields } from '@/resource/fields/guards'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { canDelete, canEdit, tableOf } from '@/resource/language/naming'
import type { ResourceWords } from '@/resource/language/words'
import {
  actForms,
  actionsOn,
  isOffered,
  MAX_ACTION_BUTTONS,
  type NamedAction,
} from '@/resource/request/filter/actions'
import { isOfColumns, matchingFilter } from '@/resource/request/filter/matching-filter'
import type { ListState } from '@/resource/request/query/list-state'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { actionIcon } from '@/resource/screens/actions/action-icon'
import { type PageAction, useGuardedItem } from '@/resource/screens/actions/use-guarded-item'
import type { BulkJob, BulkTarget } from '@/resource/tools/bulk/bulk-dialog'
import { bulkFields } from '@/resource/tools/bulk/bulk-fields'
import { lazyPart } from '@/ui/load-chunk'
import { MenuButton } from '@/ui/menu-button'

const BulkDialog = lazyPart(() =>
  import('@/resource/tools/bulk/bulk-dialog').then((module) => ({ default: module.BulkDialog })),
)

interface OpenBulkJobProps extends OpenBulk {
  definition: Definition
  scope: ResourceScope
  onClose: (isDone: boolean) => void
}

/** The dialog of a job. The list loads it by this module, which it names already: each further one weighs on every list. */
export function OpenBulkJob(props: OpenBulkJobProps) {
  return (
    <Suspense fallback={null}>
      <BulkDialog {...props} />
    </Suspense>
  )
}

/** A job of the selected rows, or of all matching rows, whose dialog is open. */
export interface OpenBulk {
  job: BulkJob
  target: BulkTarget
}

export interface BulkBarProps {
  definition: Definition
  words: ResourceWords
  scope: ResourceScope
  rows: Row[]
  /** The rows of the page in view. */
  visible: readonly Row[]
  /** How many match in all, once they are counted. */
  total: number | undefined
  state: ListState
  /** Actions of the page that shows the list. */
  further: readonly PageAction[]
  /** Opens the dialog of a job, which belongs to the list: the bar is gone once the list is empty. */
  onOpen: (open: OpenBulk) => void
}

interface BulkToolsProps extends BulkBarProps {
  filter: Filter
  isAll: boolean
  onAll: () => void
}

/** The buttons of the bulk bar: select all matching rows, actions, edit, delete. */
export function BulkTools(props: BulkToolsProps) {
  const { definition, words, scope, rows, visible, total, state, further, filter, isAll, onAll, onOpen } =
    props
  const { t } = useTranslation('bulk')
  const { t: engine } = useTranslation('engine')
  const refused = useRefusedFields(definition)
  const mayChoose = useMayChoose()
  const guard = useGuardedItem()
  const chosen = new Set(rows.map(({ id }) => id))
  const isPageChosen = visible.length > 0 && visible.every(({ id }) => chosen.has(id))
  // "All matching rows" are found in the table by the list's filter, which says nothing of a function.
  const offersAll =
    scope.source === undefined && !isAll && isPageChosen && total !== undefined && total > rows.length

  const targetOf = (when?: Filter): BulkTarget => {
    if (!isAll) return { rows }
    const narrowed = when && isOfColumns(definition, when) ? { _and: [filter, when] } : filter
    return {
      matching: {
        resource: tableOf(definition),
        filter: matchingFilter(definition, narrowed, scope.companyId, scope.filter),
        q: state.q.trim(),
      },
      of: narrowed === filter ? undefined : total,
    }
  }
  /** The forms of an action that are one act over many rows; one with inputs of its own is an act by itself. */
  const formsOf = (named: NamedAction): NamedAction[] =>
    named.action.params
      ? [named]
      : actForms(definition, named, words.action).filter(
          ({ action }) => action.on.includes('bulk') && !action.params,
        )
  /** An act over all of its forms: with a question where a chosen row needs one, such as *Resolve* of an open approval. */
  const wholeOf = (named: NamedAction): NamedAction => {
    const forms = formsOf(named)
    const conditions = forms.flatMap(({ action }) => (action.when ? [action.when] : []))
    if (forms.length === 1 || conditions.length < forms.length) return named
    const asking = forms.find(
      ({ action }) =>
        action.shows && (isAll || rows.some((row) => isOffered(definition, action, row, scope.filter))),
    )
    const form = asking ?? named
    return { ...form, action: { ...form.action, when: { _or: conditions } } }
  }
  const handleAction = (named: NamedAction) => {
    onOpen({ job: { kind: 'action', named }, target: targetOf(named.action.when) })
  }
  /** For a function, the database reports each row that no longer allows it. A dialog gets only rows that do. */
  const isPossible = ({ action }: NamedAction): boolean => {
    const offered = (row: Row) => isOffered(definition, action, row, scope.filter)
    if (isAll) return true
    return action.rpc && action.when && (action.repeatable || isOfColumns(definition, action.when))
      ? rows.some(offered)
      : rows.every(offered)
  }
  const actions = actionsOn(definition, 'bulk')
    .filter((named) => formsOf(named)[0]?.name === named.name)
    .map(wholeOf)
  const items = actions.slice(MAX_ACTION_BUTTONS).flatMap((named) =>
    guard({
      key: named.name,
      label: words.action(named.name),
      icon: actionIcon(named.action),
      object: named.object,
      verb: named.verb,
      danger: named.action.danger === true,
      ...(isPossible(named) ? {} : { reason: engine('action.notNowSelected') }),
      onClick: () => handleAction(named),
    }),
  )
  return (
    <>
      {offersAll ? (
        <Button type="link" onClick={onAll}>
          {t('all', { count: total })}
        </Button>
      ) : null}
      {actions.slice(0, MAX_ACTION_BUTTONS).map((named) => (
        <GuardedButton
          key={named.name}
          resource={named.object}
          action={named.verb}
          danger={named.action.danger === true}
          icon={actionIcon(named.action)}
          reason={isPossible(named) ? undefined : engine('action.notNowSelected')}
          onClick={() => handleAction(named)}
        >
          {words.action(named.name)}
        </GuardedButton>
      ))}
      {items.length > 0 ? (
        <MenuButton placement="topLeft" menu={{ items }}>
          <Button icon={<MoreOutlined />} aria-label={engine('show.more')} aria-haspopup="menu" />
        </MenuButton>
      ) : null}
      {isAll
        ? null
        : further.map(({ key, label, icon, object, verb, danger, run }) => (
            <GuardedButton
              key={key}
              resource={object}
              action={verb}
              danger={danger === true}
              icon={icon}
              onClick={() => run(rows)}
            >
              {label}
            </GuardedButton>
          ))}
      {canEdit(definition) && bulkFields(definition, refused, mayChoose).length > 0 ? (
        <GuardedButton
          resource={definition.name}
          action="edit"
          onClick={() => onOpen({ job: { kind: 'edit' }, target: targetOf() })}
        >
          {t('edit')}
        </GuardedButton>
      ) : null}
      {canDelete(definition) ? (
        <GuardedButton
          resource={definition.name}
          action="delete"
          danger
          onClick={() => onOpen({ job: { kind: 'delete' }, target: targetOf() })}
        >
          {engine('action.delete')}
        </GuardedButton>
      ) : null}
    </>
  )
}
