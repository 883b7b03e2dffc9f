import type { Row } from '@/data/rows'
import { RelatedList } from '@/resource/screens/show/related-list'

/** The steps of an automation, at the address that the scripts of an automation have always had. */
export function StepsTab({ record }: { record: Row; resource: string }) {
  return <RelatedList related={{ resource: 'automation_steps', by: 'automation_id' }} record={record} />
}
