import { DefinedScreen } from '@/resource/screens/defined-screen'
import { ResourceForm } from '@/resource/screens/form/resource-form'

/** The form for a new record. */
export function ResourceCreate({ resource }: { resource: string }) {
  return (
    <DefinedScreen resource={resource}>
      {(definition) => <ResourceForm definition={definition} />}
    </DefinedScreen>
  )
}
