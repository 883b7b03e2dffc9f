import { useMemo } from 'react'
import type { FileRow } from '@/data/files'
import { useRpc } from '@/refine/use-rpc'

/** A file of a comment, as `comment_files()` answers it. */
export interface CommentFile extends FileRow {
  record_id: string
}

const NO_FILES: readonly CommentFile[] = []

/** The files of the comments of a record by the comment, in one request however many comments there are. */
export function useCommentFiles(resource: string, id: string) {
  const { data, refetch } = useRpc<readonly CommentFile[]>({
    name: 'comment_files',
    args: { resource, record_id: id },
  })
  const byComment = useMemo(() => {
    const files = new Map<string, CommentFile[]>()
    for (const file of data ?? NO_FILES)
      files.set(file.record_id, [...(files.get(file.record_id) ?? []), file])
    return files
  }, [data])
  return { byComment, refetch: () => void refetch() }
}
