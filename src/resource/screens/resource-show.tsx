import { showOf } from '@/resource/language/naming'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { RecordPage } from '@/resource/screens/show/record-page'

/** The page of one record. */
export function ResourceShow({ resource, id }: { resource: string; id: string }) {
  return (
    <DefinedScreen resource={resource} own={(definition) => showOf(definition)?.component}>
      {(definition) => <RecordPage key={id} definition={definition} id={id} />}
    </DefinedScreen>
  )
}
