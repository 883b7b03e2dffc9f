import { type BaseRecord, type HttpError, useList } from '@refinedev/core'
import { FILE_COLUMNS, type FileRow } from '@/data/files'

/** More than a record has room for on a page. */
const MAX_FILES = 500

/** The files that are attached to a record itself: one question, whichever part of its page asks it. */
export function useRecordFiles(resource: string, recordId: string, companyId: string) {
  const { query } = useList<FileRow & BaseRecord, HttpError>({
    resource: 'files',
    filters: [
      { field: 'resource', operator: 'eq', value: resource },
      { field: 'record_id', operator: 'eq', value: recordId },
      { field: 'field', operator: 'null', value: true },
      { field: 'uploaded_at', operator: 'nnull', value: true },
    ],
    sorters: [{ field: 'created_at', order: 'desc' }],
    pagination: { currentPage: 1, pageSize: MAX_FILES },
    meta: { companyId, select: FILE_COLUMNS, count: 'none' },
  })
  return query
}
