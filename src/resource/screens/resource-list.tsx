import { listOf } from '@/resource/definition/naming'
import { RecordList } from '@/resource/list/record-list'
import { DefinedScreen } from '@/resource/screens/defined-screen'

/** The list of a resource, by name. */
export function ResourceList({ resource }: { resource: string }) {
  return (
    <DefinedScreen resource={resource} own={(definition) => listOf(definition)?.component}>
      {(definition) => <RecordList definition={definition} />}
    </DefinedScreen>
  )
}
