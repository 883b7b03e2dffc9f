import { listOf } from '@/resource/definition/naming'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { ResourceList as List } from '@/resource/screens/list/resource-list'

/** The list of a resource, by name. */
export function ResourceList({ resource }: { resource: string }) {
  return (
    <DefinedScreen resource={resource} own={(definition) => listOf(definition)?.component}>
      {(definition) => <List definition={definition} />}
    </DefinedScreen>
  )
}
