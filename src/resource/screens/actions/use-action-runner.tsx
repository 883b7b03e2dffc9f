import { type ReactNode, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { isImmediate, type NamedAction } from '@/resource/request/filter/actions'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useActionRpc } from '@/resource/request/query/use-write'
import { lazyPart } from '@/ui/load-chunk'

const ActionDialog = lazyPart(() =>
  import('@/resource/screens/actions/action-dialog').then((module) => ({ default: module.ActionDialog })),
)
const DeleteDialog = lazyPart(() =>
  import('@/resource/screens/actions/delete-dialog').then((module) => ({ default: module.DeleteDialog })),
)

type Running = { kind: 'action'; action: NamedAction; rows: Row[] } | { kind: 'delete'; rows: Row[] }

export interface ActionRunner {
  run: (action: NamedAction, rows: Row[]) => void
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
): ActionRunner {
  const [running, setRunning] = useState<Running | null>(null)
  const close = useCallback(() => setRunning(null), [])
  const runRpc = useActionRpc(definition)
  const latest = useRef({ runRpc, onDone })
  useEffect(() => {
    latest.current = { runRpc, onDone }
  })
  const finish = (deleted: boolean) => {
    setRunning(null)
    onDone({ deleted })
  }
  const common = { definition, scope, onClose: close }
  return {
    run: useCallback((action: NamedAction, rows: Row[]) => {
      if (!isImmediate(action)) setRunning({ kind: 'action', action, rows })
      else
        void latest.current.runRpc(action, rows).then((isDone) => {
          if (isDone) latest.current.onDone({ deleted: false })
        })
    }, []),
    remove: useCallback((rows: Row[]) => setRunning({ kind: 'delete', rows }), []),
    isOpen: running !== null,
    dialog: running ? (
      <Suspense fallback={null}>
        {running.kind === 'delete' ? (
          <DeleteDialog {...common} rows={running.rows} onDone={() => finish(true)} />
        ) : (
          <ActionDialog {...common} named={running.action} rows={running.rows} onDone={() => finish(false)} />
        )}
      </Suspense>
    ) : null,
  }
}
