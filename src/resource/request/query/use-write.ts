import { useNotification } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import { showOf } from '@/resource/language/naming'
import { type ResourceWords, useWords } from '@/resource/language/words'
import { type NamedAction, rpcCalls } from '@/resource/request/filter/actions'
import { useErrorText } from '@/resource/use-error-text'

/** Everything of the resource is read again after a write: lists, counts, records, pickers. */
export function useRefresh(definition: Definition) {
  const cache = useCache()
  return async ({ isShownKept = false }: { isShownKept?: boolean } = {}) => {
    // Written through a view, its tables have changed too: pickers of people read `people`, not `users`.
    const tables = Array.isArray(definition.live) ? definition.live : []
    // An action may move or make what the page of the record shows beside it.
    const shown = (showOf(definition)?.related ?? []).map(({ resource }) => resource)
    const files = definition.attachments ? ['files'] : []
    const names = new Set([definition.name, ...tables, ...shown, ...files])
    await Promise.all([...names].map((name) => cache.invalidate(name, { isShownKept })))
  }
}

/** The toast's text for an action: the resource's own words, or the action's name and how many records. */
export function useDoneText(words: ResourceWords): (action: string, count: number) => string {
  const { t } = useTranslation('engine')
  return (action, count) =>
    words.done(action, count) ??
    t('action.done', { action: words.action(action), things: words.counted(count) })
}

type RunRpc = (
  named: NamedAction,
  rows: readonly Row[],
  params?: Row,
  options?: {
    /** The comment beside which the action was pressed. */
    comment?: string | undefined
    /** Whether the failure was shown where it happened; otherwise a toast shows it. */
    isShown?: (error: unknown) => boolean
    /** Says what was done, in place of the words of the action. */
    doneText?: string | undefined
  },
) => Promise<boolean>

/** Calls an action's function and shows the result in a toast; returns false when it failed. */
export function useActionRpc(definition: Definition): RunRpc {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const ownText = useDoneText(words)
  const { open } = useNotification()
  const errorText = useErrorText()
  const call = useRpcCall()
  const invalidate = useRefresh(definition)
  return async ({ action, name }, rows, params = {}, { comment, isShown, doneText } = {}) => {
    const label = words.action(name)
    try {
      for (const args of rpcCalls(action, rows, params, comment)) await call(action.rpc ?? name, args)
      open?.({ type: 'success', message: doneText ?? ownText(name, rows.length) })
      return true
    } catch (error) {
      if (!isShown?.(error))
        open?.({
          type: 'error',
          message: t('action.failed', { action: label }),
          description: errorText(error),
        })
      return false
    } finally {
      await invalidate()
    }
  }
}
