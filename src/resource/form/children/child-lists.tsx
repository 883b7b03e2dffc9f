import { Suspense } from 'react'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { formOf } from '@/resource/definition/naming'
import { findDefinition } from '@/resource/definition/registry'
import type { ChildHandle } from '@/resource/form/children/child-list'
import { useResourceScope } from '@/resource/query/use-scope'
import { lazyPart } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'

const ChildList = lazyPart(() =>
  import('@/resource/form/children/child-list').then((module) => ({ default: module.ChildList })),
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
