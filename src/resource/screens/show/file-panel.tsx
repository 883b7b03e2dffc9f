import { useNotification } from '@refinedev/core'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import { deleteFile, downloadFile, type FileRow } from '@/data/files'
import { useCache } from '@/refine/use-cache'
import { DropArea } from '@/resource/fields/file/drop-area'
import { FileOpener } from '@/resource/fields/file/file-chips'
import { useFileSize } from '@/resource/fields/file/file-size'
import { UploadList } from '@/resource/fields/file/upload-list'
import { useLinks } from '@/resource/fields/file/use-links'
import { useRecordFiles } from '@/resource/fields/file/use-record-files'
import { useUploads } from '@/resource/fields/file/use-uploads'
import { QueryState } from '@/resource/query-state'
import { useErrorText } from '@/resource/use-error-text'
import { useSession } from '@/session/use-session'
import { ConfirmButton } from '@/ui/confirm-button'
import { EmptyState } from '@/ui/empty-state'
import { RelativeTime } from '@/ui/relative-time'
import '@/resource/fields/file/files.css'

interface FilePanelProps {
  /** The table of the record. */
  resource: string
  recordId: string
  companyId: string
  /** The permission object that decides who may add and remove; the table by default. */
  object?: string
  verb?: string
}

/** The attachments of a record: upload by button, drop or paste, preview, download and delete. */
export function FilePanel({
  resource,
  recordId,
  companyId,
  object = resource,
  verb = 'edit',
}: FilePanelProps) {
  const { t } = useTranslation('files')
  const can = useCan()
  const cache = useCache()
  const query = useRecordFiles(resource, recordId, companyId)
  const refresh = () => cache.invalidate('files')
  const uploads = useUploads({ resource, recordId, companyId, field: null }, () => void refresh())
  const mayAdd = can(object, verb).allowed
  const files = query.data?.data
  return (
    <div className="l-stack-16">
      {mayAdd ? <DropArea takesPaste onFiles={uploads.add} /> : null}
      <UploadList uploads={uploads} />
      {files === undefined ? (
        <QueryState query={query} rows={3} />
      ) : files.length === 0 ? (
        <EmptyState title={t('empty')} {...(mayAdd ? { text: t('emptyText') } : {})} />
      ) : (
        <FileList files={files} mayEdit={mayAdd} onDeleted={refresh} />
      )}
    </div>
  )
}

interface FileListProps {
  files: readonly FileRow[]
  mayEdit: boolean
  onDeleted: () => unknown
}

function FileList({ files, mayEdit, onDeleted }: FileListProps) {
  const { t } = useTranslation('files')
  const size = useFileSize()
  const errorText = useErrorText()
  const { open } = useNotification()
  const { user } = useSession()
  const links = useLinks(files.flatMap(({ has_preview, path }) => (has_preview ? [`${path}.webp`] : [])))
  const attempt = (act: Promise<unknown>) =>
    act.catch((error: unknown) => {
      open?.({ type: 'error', message: errorText(error) })
    })
  return (
    <ul className="k-files" aria-label={t('list')}>
      {files.map((file) => {
        const picture = links.get(`${file.path}.webp`)
        return (
          <li key={file.id} className="k-file">
            <FileOpener file={file} link={picture} />
            <span className="k-file-about">
              <span className="k-file-name">{file.name}</span>
              <span className="k-soft">
                {size(file.size)} · {file.created_by_name ?? t('unknown')} ·{' '}
                <RelativeTime value={file.created_at} />
              </span>
            </span>
            <span className="k-file-acts">
              <Button
                size="small"
                aria-label={t('downloadNamed', { name: file.name })}
                onClick={() => void attempt(downloadFile(file))}
              >
                {t('download')}
              </Button>
              {mayEdit || file.created_by === user?.id ? (
                <ConfirmButton
                  size="small"
                  danger
                  aria-label={t('deleteNamed', { name: file.name })}
                  title={t('deleteTitle', { name: file.name })}
                  text={t('deleteText')}
                  okText={t('delete')}
                  onConfirm={async () => {
                    await attempt(deleteFile(file.id))
                    await onDeleted()
                  }}
                >
                  {t('delete')}
                </ConfirmButton>
              ) : null}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
