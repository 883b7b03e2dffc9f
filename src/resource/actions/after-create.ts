import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { callRpc } from '@/data/rpc'
import { actionsOn, type NamedAction } from '@/resource/actions/actions'
import { rpcCalls } from '@/resource/actions/rpc-calls'
import type { Definition } from '@/resource/definition/definition.generated'
import { formOf, hasShow } from '@/resource/definition/naming'
import { useErrorText } from '@/resource/use-error-text'
import { useWords } from '@/resource/words'
import { useNotify } from '@/ui/notify'

/** The key under which a history entry asks a record's page to open an action. */
const ASKED = 'action'

/** The action that a record's page was asked to open on arrival. */
export function askedAction(definition: Definition, state: unknown): NamedAction | undefined {
  const name: unknown = typeof state === 'object' && state !== null ? Reflect.get(state, ASKED) : undefined
  return actionsOn(definition).find((named) => named.name === name)
}

/** Whether it acts at once: it asks for nothing and takes nothing away. */
export function isImmediate({ action }: NamedAction): boolean {
  const asks = action.confirm ?? action.danger === true
  return action.rpc !== undefined && !asks && Object.keys(action.params ?? {}).length === 0
}

/**
 * What `form.after_create` names: done at once where it asks for nothing, otherwise left to the record's page,
 * as the state to go there with. A failure is told; the record stands.
 */
export function useAfterCreate(definition: Definition): (saved: Row) => Promise<unknown> {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const notify = useNotify()
  const errorText = useErrorText()
  return async (saved) => {
    const wanted = formOf(definition)?.after_create
    const named = actionsOn(definition).find(({ name }) => name === wanted)
    if (!named) return undefined
    if (!isImmediate(named)) return hasShow(definition) ? { [ASKED]: named.name } : undefined
    try {
      for (const args of rpcCalls(named.action, [saved], {}))
        await callRpc(named.action.rpc ?? named.name, args)
    } catch (error) {
      notify({
        type: 'error',
        title: t('action.failed', { action: words.action(named.name) }),
        description: errorText(error),
      })
    }
    return undefined
  }
}
