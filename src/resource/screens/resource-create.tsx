import { formOf } from '@/resource/definition/naming'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { ResourceForm } from '@/resource/screens/form/resource-form'

/** The form for a new record. */
export function ResourceCreate({ resource }: { resource: string }) {
  return (
    <DefinedScreen resource={resource} own={(definition) => formOf(definition)?.component}>
      {(definition) => <ResourceForm definition={definition} />}
    </DefinedScreen>
  )
}
