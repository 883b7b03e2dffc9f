import type { Row } from '@/data/rows'
import { actionsOn, isImmediate, type NamedAction } from '@/resource/actions/actions'
import { useRpc } from '@/resource/actions/use-rpc'
import type { Definition } from '@/resource/definition/definition.generated'
import { formOf, hasShow } from '@/resource/definition/naming'
import { useResourceScope } from '@/resource/queries/use-scope'

/** The key under which a history entry asks a record's page to open an action. */
const ASKED = 'action'

/** The action that a record's page was asked to open on arrival. */
export function askedAction(definition: Definition, state: unknown): NamedAction | undefined {
  const name: unknown = typeof state === 'object' && state !== null ? Reflect.get(state, ASKED) : undefined
  return actionsOn(definition).find((named) => named.name === name)
}

/**
 * What `form.after_create` names: done at once where it asks for nothing, otherwise left to the record's page,
 * as the state to go there with. A failure is told; the record stands.
 */
export function useAfterCreate(definition: Definition): (saved: Row) => Promise<unknown> {
  const runRpc = useRpc(definition, useResourceScope())
  return async (saved) => {
    const wanted = formOf(definition)?.after_create
    const named = actionsOn(definition).find(({ name }) => name === wanted)
    if (!named) return undefined
    if (!isImmediate(named)) return hasShow(definition) ? { [ASKED]: named.name } : undefined
    await runRpc(named, [saved])
    return undefined
  }
}
