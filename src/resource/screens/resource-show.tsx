import { showOf } from '@/resource/definition/naming'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { ResourceShow as Show } from '@/resource/screens/show/resource-show'

/** The page of one record. */
export function ResourceShow({ resource, id }: { resource: string; id: string }) {
  return (
    <DefinedScreen resource={resource} own={(definition) => showOf(definition)?.component}>
      {(definition) => <Show key={id} definition={definition} id={id} />}
    </DefinedScreen>
  )
}
