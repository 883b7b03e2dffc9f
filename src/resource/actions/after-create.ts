import type { Row } from '@/data/rows'
import { ASKED_ACTION, actionsOn, isImmediate } from '@/resource/actions/actions'
import { useActionRpc } from '@/resource/actions/use-action-rpc'
import type { Definition } from '@/resource/definition/definition.generated'
import { formOf, hasShow } from '@/resource/definition/naming'

/**
 * What `form.after_create` names: done at once where it asks for nothing, otherwise left to the record's page,
 * as the state to go there with. A failure is told; the record stands.
 */
export function useAfterCreate(definition: Definition): (saved: Row) => Promise<Row | undefined> {
  const runRpc = useActionRpc(definition)
  return async (saved) => {
    const wanted = formOf(definition)?.after_create
    const named = actionsOn(definition).find(({ name }) => name === wanted)
    if (!named) return undefined
    if (!isImmediate(named)) return hasShow(definition) ? { [ASKED_ACTION]: named.name } : undefined
    await runRpc(named, [saved])
    return undefined
  }
}
