import { formOf } from '@/resource/definition/naming'
import { NewRecord } from '@/resource/form/resource-form'
import { DefinedScreen } from '@/resource/screens/defined-screen'

/** The form for a new record. */
export function ResourceCreate({ resource }: { resource: string }) {
  return (
    <DefinedScreen resource={resource} own={(definition) => formOf(definition)?.component}>
      {(definition) => <NewRecord definition={definition} />}
    </DefinedScreen>
  )
}
