import { useNotification } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { useRpcCall } from '@/refine/use-rpc'
import type { Definition } from '@/resource/definition/definition.generated'
import { useWords } from '@/resource/definition/words'
import type { NamedAction } from '@/resource/filter/actions'
import { rpcCalls } from '@/resource/query/rpc-calls'
import { useDoneText } from '@/resource/query/use-done-text'
import { useRefresh } from '@/resource/query/use-write'
import { useErrorText } from '@/resource/use-error-text'

type RunRpc = (named: NamedAction, rows: readonly Row[], params?: Row) => Promise<boolean>

/** Calls an action's function and shows the result in a toast; returns false when it failed. */
export function useActionRpc(definition: Definition): RunRpc {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const doneText = useDoneText(words)
  const { open } = useNotification()
  const errorText = useErrorText()
  const call = useRpcCall()
  const invalidate = useRefresh(definition)
  return async ({ action, name }, rows, params = {}) => {
    const label = words.action(name)
    try {
      for (const args of rpcCalls(action, rows, params)) await call(action.rpc ?? name, args)
      open?.({ type: 'success', message: doneText(name, rows.length) })
      return true
    } catch (error) {
      open?.({ type: 'error', message: t('action.failed', { action: label }), description: errorText(error) })
      return false
    } finally {
      await invalidate()
    }
  }
}
