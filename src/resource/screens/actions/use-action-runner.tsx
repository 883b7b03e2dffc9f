import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { actForms, isImmediate, type NamedAction } from '@/resource/request/filter/actions'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useActionRpc } from '@/resource/request/query/use-write'
import { lazyPart } from '@/ui/load-chunk'

const ActionDialog = lazyPart(() =>
  import('@/resource/screens/actions/action-dialog').then((module) => ({ default: module.ActionDialog })),
)
const DeleteDialog = lazyPart(() =>
  import('@/resource/screens/actions/delete-dialog').then((module) => ({ default: module.DeleteDialog })),
)

interface RunOptions {
  /** The comment beside which the action was pressed. */
  comment?: string | undefined
  /** Arguments of its function besides those that it declares: the column of a board to which it moves the record. */
  given?: Row
  /** Says what was done, in place of the words of the action. */
  doneText?: string | undefined
}

type Running =
  | ({ kind: 'action'; action: NamedAction; rows: Row[] } & RunOptions)
  | { kind: 'delete'; rows: Row[] }

export interface ActionRunner {
  run: (action: NamedAction, rows: Row[], options?: RunOptions) => void
  remove: (rows: Row[]) => void
  isOpen: boolean
  /** Rendered once per screen. */
  dialog: ReactNode
}

/**
 * Opens what an action needs first: its own dialog, its parameters, or a confirmation. Otherwise it runs at
 * once.
 */
export function useActionRunner(
  definition: Definition,
  scope: ResourceScope,
  onDone: (result: { deleted: boolean }) => void,
  { isPageOfRecord = false }: { isPageOfRecord?: boolean } = {},
): ActionRunner {
  const [running, setRunning] = useState<Running | null>(null)
  const close = useCallback(() => setRunning(null), [])
  const runRpc = useActionRpc(definition)
  const { action: label } = useWords(definition)
  const latest = useRef({ runRpc, onDone, label })
  useEffect(() => {
    latest.current = { runRpc, onDone, label }
  })
  const isOpen = running !== null
  useEffect(() => {
    if (!isOpen) return
    const opener = document.activeElement
    return () => {
      // The dialog goes at once, before it could give the focus back.
      const isLost = document.activeElement === null || document.activeElement === document.body
      if (isLost && opener instanceof HTMLElement) opener.focus()
    }
  }, [isOpen])
  const finish = (deleted: boolean) => {
    setRunning(null)
    onDone({ deleted })
  }
  const common = { definition, scope, onClose: close }
  return {
    run: useCallback(
      (action: NamedAction, rows: Row[], options: RunOptions = {}) => {
        // The dialog reads the record again, and asks nothing where that changes nothing.
        const mayAsk = () =>
          rows.length === 1 &&
          actForms(definition, action, latest.current.label).some((each) => each.action.shows)
        if (!isImmediate(action) || mayAsk()) setRunning({ kind: 'action', action, rows, ...options })
        else
          void latest.current.runRpc(action, rows, options.given, options).then((isDone) => {
            if (isDone) latest.current.onDone({ deleted: false })
          })
      },
      [definition],
    ),
    remove: useCallback((rows: Row[]) => setRunning({ kind: 'delete', rows }), []),
    isOpen,
    dialog: running ? (
      <Suspense fallback={null}>
        {running.kind === 'delete' ? (
          <DeleteDialog {...common} {...{ isPageOfRecord }} rows={running.rows} onDone={() => finish(true)} />
        ) : (
          <ActionDialog
            {...common}
            named={running.action}
            rows={running.rows}
            comment={running.comment}
            given={running.given}
            doneText={running.doneText}
            onDone={() => finish(false)}
          />
        )}
      </Suspense>
    ) : null,
  }
}
