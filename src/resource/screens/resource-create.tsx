import { formOf } from '@/resource/language/naming'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { NewRecord } from '@/resource/screens/form/resource-form'

/** The form for a new record. */
export function ResourceCreate({ resource }: { resource: string }) {
  return (
    <DefinedScreen resource={resource} own={(definition) => formOf(definition)?.component}>
      {(definition) => <NewRecord definition={definition} />}
    </DefinedScreen>
  )
}
