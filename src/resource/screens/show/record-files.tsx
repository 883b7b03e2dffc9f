import { FileChips } from '@/resource/fields/file/file-chips'
import { useRecordFiles } from '@/resource/fields/file/use-record-files'

interface RecordFilesProps {
  /** The table of the record. */
  resource: string
  recordId: string
  companyId: string
}

/** The attachments of a record on its overview, nothing while it has none. Their own tab says why they cannot be read. */
export function RecordFiles({ resource, recordId, companyId }: RecordFilesProps) {
  const files = useRecordFiles(resource, recordId, companyId).data?.data ?? []
  return files.length > 0 ? <FileChips files={files} /> : null
}
