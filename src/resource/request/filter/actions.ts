import type { Row } from '@/data/rows'
import type { Action, Definition, Filter } from '@/resource/language/definition.generated'
import { linkedIds } from '@/resource/language/embed-keys'
import { filterFields } from '@/resource/request/filter/mentioned-fields'
import { compareKinds, matches } from '@/resource/request/filter/predicate'
import type { FilterScope } from '@/resource/request/filter/scope'

type ActionPlace = Action['on'][number]

export interface NamedAction {
  name: string
  action: Action
  /** The permission it needs. */
  object: string
  verb: string
}

/** How many actions have a button; the others are in a menu. */
export const MAX_ACTION_BUTTONS = 3

/** The actions offered in a place, or all, in the definition's order. An action's verb is its own name unless it says otherwise. */
export function actionsOn(definition: Definition, place?: ActionPlace): NamedAction[] {
  return Object.entries(definition.actions ?? {})
    .filter(([, action]) => place === undefined || action.on.includes(place))
    .map(([name, action]) => ({
      name,
      action,
      object: action.policy?.object ?? definition.name,
      verb: action.policy?.verb ?? name,
    }))
}

/** The row with the ids of its links; null without one, as a condition on them reads it. */
function withLinks(definition: Definition, filter: Filter, row: Row): Row {
  const links = filterFields(filter).flatMap((name) => {
    const field = definition.fields[name]
    const ids = field?.type === 'many-to-many' ? linkedIds(row, name, field.far) : undefined
    return field?.type === 'many-to-many' ? [[name, ids?.length ? ids : null] as const] : []
  })
  return { ...row, ...Object.fromEntries(links) }
}

/** Whether the record's current values allow the action. */
export function isOffered(
  definition: Definition,
  { when }: Pick<Action, 'when'>,
  row: Row,
  scope: FilterScope,
): boolean {
  return (
    when === undefined || matches(when, withLinks(definition, when, row), scope, compareKinds(definition))
  )
}

/** Whether it is for the signed-in user, where it is for whoever a field of the record names: its requester, its watchers. */
function isForUser(
  definition: Definition,
  { when = {} }: Pick<Action, 'when'>,
  row: Row,
  scope: FilterScope,
): boolean {
  return Object.entries(when).every(([name, condition]) => {
    const { _eq, _contains } = condition as { _eq?: unknown; _contains?: unknown }
    return (
      (_eq !== '$user' && _contains !== '$user') ||
      isOffered(definition, { when: { [name]: condition } as Filter }, row, scope)
    )
  })
}

/**
 * The actions of a place for a record: none that is for somebody else, which does not wait for the record to change, and
 * of those with one name, such as *Resolve* with a question and without, the one that fits.
 */
export function actionsFor(
  definition: Definition,
  place: ActionPlace,
  row: Row,
  scope: FilterScope,
  label: (name: string) => string,
): NamedAction[] {
  const own = actionsOn(definition, place).filter(({ action }) => isForUser(definition, action, row, scope))
  const fits = ({ action }: NamedAction) => isOffered(definition, action, row, scope)
  return own.filter((named) => {
    const forms = own.filter(({ name }) => label(name) === label(named.name))
    return named === (forms.find(fits) ?? forms[0])
  })
}

/** Whether it runs at once: it needs no input and removes nothing. */
export function isImmediate({ action }: Pick<NamedAction, 'action'> & Partial<NamedAction>): boolean {
  const asks = action.confirm ?? action.danger === true
  return action.rpc !== undefined && !asks && Object.keys(action.params ?? {}).length === 0
}

/**
 * The action in each form it has for a record: those with one function, one set of arguments and one label are one act
 * to whoever presses it, such as *Resolve* with a question and without.
 */
export function actForms(
  definition: Definition,
  { name, action }: NamedAction,
  label: (name: string) => string,
): NamedAction[] {
  const call = (each: Action, own: string) => JSON.stringify([each.rpc ?? own, each.args ?? DEFAULT_ARGS])
  return actionsOn(definition).filter(
    (other) =>
      other.name === name ||
      (action.rpc !== undefined &&
        call(other.action, other.name) === call(action, name) &&
        label(other.name) === label(name)),
  )
}

/** The key under which a history entry requests an action on a record's page. */
export const ASKED_ACTION = 'action'

/** The action that the history entry requests. */
export function askedAction(definition: Definition, state: unknown): NamedAction | undefined {
  const name: unknown =
    typeof state === 'object' && state !== null ? Reflect.get(state, ASKED_ACTION) : undefined
  return actionsOn(definition).find((named) => named.name === name)
}

/** The fields that the dialogs of actions show, some of them of related records. */
export function shownByActions(definition: Definition): string[] {
  return Object.values(definition.actions ?? {}).flatMap(({ shows = [] }) => shows)
}

/** The fields a list must read to know which actions it may offer, and for their dialogs. */
export function actionFields(definition: Definition): string[] {
  const conditions = Object.values(definition.actions ?? {}).flatMap(({ when }) => filterFields(when))
  return [...conditions, ...filterFields(definition.locked?.when), ...shownByActions(definition)]
}

export const DEFAULT_ARGS: NonNullable<Action['args']> = { ids: '$ids' }

/**
 * The calls of an action: one with `$ids` for all selected records, or one per record if its function takes a
 * single `$id`.
 */
export function rpcCalls(action: Action, rows: readonly Row[], params: Row, comment?: string): Row[] {
  const args = action.args ?? DEFAULT_ARGS
  const ids = rows.map((row) => String(row.id))
  const isSingle = Object.values(args).includes('$id')
  const fill = (id: string | undefined): Row => {
    const filled = Object.entries(args).map(([name, value]) => {
      if (value === '$ids') return [name, ids]
      if (value === '$comment') return [name, comment]
      return [name, value === '$id' ? id : value]
    })
    return { ...Object.fromEntries(filled), ...params }
  }
  return isSingle ? ids.map((id) => fill(id)) : [fill(ids[0])]
}

/** The argument of an action that takes the records, without the others. */
export function idArguments(action: Action): Action['args'] {
  return Object.fromEntries(
    Object.entries(action.args ?? DEFAULT_ARGS).filter(([, value]) => value === '$ids' || value === '$id'),
  )
}

/** The argument that takes the records, and the others as the definition gives them. */
export function rpcArguments(action: Action): { argument: string; args: Row } {
  const entries = Object.entries(action.args ?? DEFAULT_ARGS)
  const isRecords = ([, value]: [string, unknown]) => value === '$ids' || value === '$id'
  return {
    argument: entries.find(isRecords)?.[0] ?? 'ids',
    args: Object.fromEntries(entries.filter((entry) => !isRecords(entry))),
  }
}
