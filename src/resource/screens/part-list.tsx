import { type ReactNode, useMemo } from 'react'
import { useCan, useDenialText } from '@/access/use-can'
import type { Definition, List } from '@/resource/language/definition.generated'
import { listOf } from '@/resource/language/naming'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { type ListPart, RecordList } from '@/resource/screens/list/record-list'
import { DeniedState } from '@/ui/denied-state'

export type ListColumns = NonNullable<List['columns']>

interface PartListProps extends ListPart {
  resource: string
  /** The record whose rows these are: the field that points at it, and its id. */
  under?: { field: string; id: string }
  /** In place of the definition's. Keep the object between renders. */
  columns?: ListColumns
  sort?: string
  /** A button above the list. */
  action?: ReactNode
}

/** A list of the engine within a page: rows of a resource that the page chooses, by a filter or a function. */
export function PartList({ resource, ...props }: PartListProps) {
  const can = useCan()
  const denialText = useDenialText()
  const verdict = can(resource, 'list')
  if (!verdict.allowed) return <DeniedState text={denialText(verdict.reason)} />
  return (
    <DefinedScreen resource={resource}>
      {(definition) => <Part {...props} definition={definition} />}
    </DefinedScreen>
  )
}

type PartProps = Omit<PartListProps, 'resource'> & { definition: Definition }

function Part({ definition, under, columns, sort, action, ...part }: PartProps) {
  const shown = useMemo<Definition>(() => {
    // The views of the whole list would contradict the page's choice of rows.
    const { views: _views, default_view: _view, default_filter: _filter, ...list } = listOf(definition) ?? {}
    return { ...definition, list: { ...list, ...(columns && { columns }), ...(sort && { sort }) } }
  }, [definition, columns, sort])
  return <RecordList definition={shown} action={action} under={under} part={part} />
}
