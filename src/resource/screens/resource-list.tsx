import { listOf } from '@/resource/language/naming'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { RecordList } from '@/resource/screens/list/record-list'

/** The list of a resource, by name. */
export function ResourceList({ resource }: { resource: string }) {
  return (
    <DefinedScreen resource={resource} own={(definition) => listOf(definition)?.component}>
      {(definition) => <RecordList definition={definition} />}
    </DefinedScreen>
  )
}
