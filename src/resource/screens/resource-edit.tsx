import { formOf } from '@/resource/language/naming'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { EditRecord } from '@/resource/screens/form/edit-record'

/** The form over an existing record. */
export function ResourceEdit({ resource, id }: { resource: string; id: string }) {
  return (
    <DefinedScreen resource={resource} own={(definition) => formOf(definition)?.component}>
      {(definition) => <EditRecord key={id} definition={definition} id={id} />}
    </DefinedScreen>
  )
}
