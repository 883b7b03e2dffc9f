import { formOf } from '@/resource/definition/naming'
import { EditRecord } from '@/resource/form/edit-record'
import { DefinedScreen } from '@/resource/screens/defined-screen'

/** The form over an existing record. */
export function ResourceEdit({ resource, id }: { resource: string; id: string }) {
  return (
    <DefinedScreen resource={resource} own={(definition) => formOf(definition)?.component}>
      {(definition) => <EditRecord key={id} definition={definition} id={id} />}
    </DefinedScreen>
  )
}
