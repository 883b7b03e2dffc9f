import type { Row } from '@/data/rows'
import { findDefinition } from '@/resource/language/registry'
import { RelatedList } from '@/resource/screens/show/related-list'

/** The steps of an automation, at the address that the scripts of an automation have always had. */
export function StepsTab({ record, resource }: { record: Row; resource: string }) {
  const definition = findDefinition(resource)
  if (!definition) return null
  return (
    <RelatedList
      definition={definition}
      related={{ resource: 'automation_steps', by: 'automation_id' }}
      record={record}
    />
  )
}
