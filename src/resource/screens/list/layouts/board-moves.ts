import { type BaseRecord, type HttpError, useNotification, useUpdate } from '@refinedev/core'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan, useDenialText } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { useRefusedFields } from '@/resource/fields/guards'
import { isEditable } from '@/resource/fields/kinds'
import type { Board, Definition } from '@/resource/language/definition.generated'
import { canEdit, tableOf } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { actionsOn, isImmediate, isOffered, type NamedAction } from '@/resource/request/filter/actions'
import { recordTitle } from '@/resource/request/query/title'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useActionRpc, useRefresh } from '@/resource/request/query/use-write'
import type { ActionRunner } from '@/resource/screens/actions/use-action-runner'
import type { Column, ColumnValue } from '@/resource/screens/list/layouts/board-columns'
import { useErrorText } from '@/resource/use-error-text'

/** The column of each card that was moved, until the list has been read again. */
export type PlacedCards = ReadonlyMap<string, { row: Row; value: ColumnValue }>

export interface BoardMoves {
  placed: PlacedCards
  /** Why a card cannot be moved to a column; null where it can. Undefined where it is there already. */
  refusal: (row: Row, column: Column) => string | null | undefined
  move: (row: Row, column: Column) => void
  /** The action that moves it there; undefined where the move edits the field. */
  actionFor: (row: Row, column: Column) => NamedAction | undefined
  /** The last move, for assistive technology. */
  announcement: string
}

/**
 * Moves cards between the columns of a board: by the action that the definition names for the value, or by editing the
 * field under the version that the card was read with. The card is in its new column at once, and goes back when the
 * database refuses.
 */
export function useBoardMoves(
  definition: Definition,
  board: Board,
  scope: ResourceScope,
  runner: ActionRunner,
): BoardMoves {
  const { t } = useTranslation('engine')
  const can = useCan()
  const denialText = useDenialText()
  const words = useWords(definition)
  const { open } = useNotification()
  const errorText = useErrorText()
  const refused = useRefusedFields(definition)
  const refresh = useRefresh(definition)
  const runRpc = useActionRpc(definition)
  const update = useUpdate<BaseRecord, HttpError, Row>()
  const [placed, setPlaced] = useState<PlacedCards>(new Map())
  const [announcement, setAnnouncement] = useState('')
  /** The number of each card's last move: an earlier one that ends later says and changes nothing any more. */
  const turns = useRef(new Map<string, number>())
  const { by, kinds } = board
  const field = definition.fields[by]

  /**
   * Gives the first action that is offered for the record; where none is, the first one says why. Between two columns
   * of one kind, a move edits the field.
   */
  const actionFor = (row: Row, { kind }: Column) => {
    if (kinds && row[kinds.field] === kind) return undefined
    const names = kind === null ? [] : [board.moves?.[kind] ?? []].flat()
    const known = actionsOn(definition)
    const named = names.flatMap((name) => known.find((each) => each.name === name) ?? [])
    return (
      named.find(
        ({ action, object, verb }) =>
          can(object, verb).allowed && isOffered(definition, action, row, scope.filter),
      ) ?? named[0]
    )
  }

  const refusal = (row: Row, column: Column): string | null | undefined => {
    const { value, label, isOpen } = column
    const current = (row[by] ?? null) as ColumnValue
    if (current === value) return undefined
    const notThere = t('layout.notThere', { title: recordTitle(definition, row), value: label })
    if (!isOpen) return notThere
    const named = actionFor(row, column)
    if (named) {
      const verdict = can(named.object, named.verb)
      if (!verdict.allowed) return denialText(verdict.reason)
      return isOffered(definition, named.action, row, scope.filter)
        ? null
        : (words.text('notNow', named.name) ?? t('action.notNow'))
    }
    const verdict = can(definition.name, 'edit')
    if (!verdict.allowed) return denialText(verdict.reason)
    const isWritable = canEdit(definition) && isEditable(field) && !field.once && !refused.has(by)
    const isMissing = value === null && field?.required === true
    return isWritable && !isMissing ? null : notThere
  }

  const place = (row: Row, column: Column | undefined) =>
    setPlaced((before) => {
      const after = new Map(before)
      if (column === undefined) after.delete(String(row.id))
      else {
        const { value, kind } = column
        const moved = { ...row, [by]: value, ...(kinds ? { [kinds.field]: kind } : {}) }
        after.set(String(row.id), { row: moved, value })
      }
      return after
    })

  const edit = async (row: Row, value: ColumnValue) => {
    try {
      await update.mutateAsync({
        resource: definition.name,
        id: String(row.id),
        values: { [by]: value },
        meta: {
          table: tableOf(definition),
          companyId: definition.tenant === false ? null : scope.companyId,
          ...(definition.lock === false ? {} : { version: row.version }),
        },
        invalidates: [],
        successNotification: false,
        errorNotification: false,
      })
      return true
    } catch (error) {
      open?.({
        type: 'error',
        message: t('layout.failed', { title: recordTitle(definition, row) }),
        description: errorText(error),
      })
      return false
    } finally {
      await refresh()
    }
  }

  const move = async (row: Row, column: Column) => {
    if (refusal(row, column) !== null) return
    const named = actionFor(row, column)
    // The function of an action learns the record of the column.
    const isReference = definition.fields[by]?.type === 'relation'
    const given = isReference ? { [by]: column.value } : {}
    const moved = t('layout.moved', { title: recordTitle(definition, row), value: column.label })
    // The words of an action name the kind of a column, not the column itself.
    const doneText = isReference ? moved : undefined
    // An action that asks first moves nothing before it is answered.
    if (named && !isImmediate(named)) return runner.run(named, [row], { given, doneText })
    const id = String(row.id)
    const turn = (turns.current.get(id) ?? 0) + 1
    turns.current.set(id, turn)
    place(row, column)
    const isDone = named ? await runRpc(named, [row], given, { doneText }) : await edit(row, column.value)
    if (turns.current.get(id) !== turn) return
    place(row, undefined)
    if (isDone) setAnnouncement(moved)
  }

  return { placed, refusal, actionFor, move: (row, column) => void move(row, column), announcement }
}
