import { formOf } from '@/resource/definition/naming'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { NewRecord } from '@/resource/screens/form/new-record'

/** The form for a new record. */
export function ResourceCreate({ resource }: { resource: string }) {
  return (
    <DefinedScreen resource={resource} own={(definition) => formOf(definition)?.component}>
      {(definition) => <NewRecord definition={definition} />}
    </DefinedScreen>
  )
}
