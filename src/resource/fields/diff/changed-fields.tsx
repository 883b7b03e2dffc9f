import { ChangeTable } from '@/resource/fields/diff/change-table'
import { mentioned } from '@/resource/fields/diff/changes'
import type { Change } from '@/resource/fields/diff/kind'
import type { Definition } from '@/resource/language/definition.generated'
import { useRecordTitles } from '@/resource/request/query/use-record-titles'
import { useResourceScope } from '@/resource/request/query/use-scope'

interface ChangedFieldsProps {
  changes: readonly Change[]
  definition: Definition | null
  label: string
  resource: string
  action: string
}

/** The changes of a record, from what to what, with the titles of the records that they name. */
export function ChangedFields(props: ChangedFieldsProps) {
  const { definition, changes } = props
  const records = useRecordTitles(mentioned(definition, changes), useResourceScope())
  return <ChangeTable {...props} records={records} />
}
