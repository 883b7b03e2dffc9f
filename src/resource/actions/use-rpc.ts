import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { callRpc } from '@/data/rpc'
import type { NamedAction } from '@/resource/actions/actions'
import { rpcCalls } from '@/resource/actions/rpc-calls'
import type { Definition } from '@/resource/definition/definition.generated'
import type { ResourceScope } from '@/resource/queries/use-scope'
import { useInvalidate } from '@/resource/queries/use-write'
import { useErrorText } from '@/resource/use-error-text'
import { useWords } from '@/resource/words'
import { useNotify } from '@/ui/notify'

type RunRpc = (named: NamedAction, rows: readonly Row[], params?: Row) => Promise<boolean>

/** Calls an action's function and tells how it went; false when it failed. */
export function useRpc(definition: Definition, scope: ResourceScope): RunRpc {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const notify = useNotify()
  const errorText = useErrorText()
  const invalidate = useInvalidate(definition, scope)
  return async ({ action, name }, rows, params = {}) => {
    const label = words.action(name)
    try {
      for (const args of rpcCalls(action, rows, params)) await callRpc(action.rpc ?? name, args)
      notify({ type: 'success', title: t('action.done', { action: label }) })
      return true
    } catch (error) {
      notify({ type: 'error', title: t('action.failed', { action: label }), description: errorText(error) })
      return false
    } finally {
      await invalidate()
    }
  }
}
