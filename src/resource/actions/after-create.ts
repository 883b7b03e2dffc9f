import type { Row } from '@/data/rows'
import { ASKED_ACTION, actionsOn, isImmediate } from '@/resource/actions/actions'
import { useActionRpc } from '@/resource/actions/use-action-rpc'
import type { Definition } from '@/resource/definition/definition.generated'
import { formOf, hasShow } from '@/resource/definition/naming'

/**
 * Runs the action that `form.after_create` names: at once if it needs no input, otherwise as state for the
 * record's page. A failure is reported; the record is kept.
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
