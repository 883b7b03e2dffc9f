import { Suspense, useCallback, useRef } from 'react'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { formOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useResourceScope } from '@/resource/request/query/use-scope'
import type { ChildHandle } from '@/resource/screens/form/children/child-list'
import { lazyPart } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'

const ChildList = lazyPart(() =>
  import('@/resource/screens/form/children/child-list').then((module) => ({ default: module.ChildList })),
)

interface ChildListsProps {
  definition: Definition
  record: Row | undefined
  companyId: string | null | undefined
  disabled: boolean
  register: (key: string, handle: ChildHandle) => void
}

/** The lists of children that the user may read. */
export function ChildLists({ definition, record, companyId, disabled, register }: ChildListsProps) {
  const can = useCan()
  const scope = useResourceScope()
  const owner = record?.company_id ?? companyId ?? scope.companyId
  return formOf(definition)?.children?.map((children) => {
    const target = findDefinition(children.resource)
    const key = `${children.resource}.${children.by}`
    if (!target || !can(target.name, 'list').allowed) return null
    return (
      <Suspense key={key} fallback={<PartLoading />}>
        <ChildList
          target={target}
          of={children}
          parentId={record ? String(record.id) : undefined}
          companyId={typeof owner === 'string' ? owner : null}
          disabled={disabled}
          onReady={(handle) => register(key, handle)}
        />
      </Suspense>
    )
  })
}

/** The lists of children of one form, as one. */
export function useChildren() {
  const handles = useRef(new Map<string, ChildHandle>())
  const register = useCallback((key: string, handle: ChildHandle) => handles.current.set(key, handle), [])
  // The form may be left at once, before the lists know that they are saved.
  const isDone = useRef(false)
  const isDirty = useCallback(
    () => !isDone.current && [...handles.current.values()].some((handle) => handle.isDirty()),
    [],
  )
  return {
    register,
    isDirty,
    /** Validates all lists and marks the errors. */
    check: () => [...handles.current.values()].map((handle) => handle.check()).every(Boolean),
    /** Saves one list after the other, and names the first that was refused. @throws DataError */
    save: async (parent: Row): Promise<string | null> => {
      for (const handle of handles.current.values()) {
        if (!(await handle.save(parent))) return handle.name
      }
      isDone.current = true
      return null
    },
  }
}
