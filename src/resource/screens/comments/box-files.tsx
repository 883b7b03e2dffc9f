import { Button } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { deleteFile, type FileRow } from '@/data/files'
import { DropArea } from '@/resource/fields/file/drop-area'
import { FilePicture } from '@/resource/fields/file/file-chips'
import { useFileSize } from '@/resource/fields/file/file-size'
import { UploadList } from '@/resource/fields/file/upload-list'
import { useLinks } from '@/resource/fields/file/use-links'
import { useUploads } from '@/resource/fields/file/use-uploads'
import '@/resource/fields/file/files.css'

/** The files that will be attached to the comment that is written. */
export interface BoxFilesState {
  files: readonly FileRow[]
  isSending: boolean
}

interface BoxFilesProps {
  /** The table of the comments. */
  table: string
  companyId: string
  /** Files that are pasted on the page go to the kind of comment that is being written. */
  isActive: boolean
  files: readonly FileRow[]
  onChange: (change: (before: BoxFilesState) => BoxFilesState) => void
}

/** Uploads for a comment that is not written yet. A kind of comment keeps its own: nothing of a note goes with a reply. */
export function BoxFiles({ table, companyId, isActive, files, onChange }: BoxFilesProps) {
  const { t } = useTranslation('files')
  const size = useFileSize()
  const uploads = useUploads({ resource: table, companyId, recordId: null, field: null }, (file) =>
    onChange((before) => ({ ...before, files: [...before.files, file] })),
  )
  const links = useLinks(files.flatMap(({ has_preview, path }) => (has_preview ? [`${path}.webp`] : [])))
  const [tell] = useState(() => onChange)
  const { isSending } = uploads
  useEffect(() => tell((before) => ({ ...before, isSending })), [tell, isSending])
  const remove = (file: FileRow) => {
    onChange((before) => ({ ...before, files: before.files.filter(({ id }) => id !== file.id) }))
    // A draft that stays behind is deleted by itself after a day.
    void deleteFile(file.id).catch(() => undefined)
  }
  return (
    <div className="k-box-files" hidden={!isActive}>
      {isActive ? <DropArea takesPaste onFiles={uploads.add} /> : null}
      <UploadList uploads={uploads} />
      {files.length > 0 ? (
        <ul className="k-files" aria-label={t('list')}>
          {files.map((file) => (
            <li key={file.id} className="k-file">
              <FilePicture file={file} link={links.get(`${file.path}.webp`)} />
              <span className="k-file-about">
                <span className="k-file-name">{file.name}</span>
                <span className="k-soft">{size(file.size)}</span>
              </span>
              <span className="k-file-acts">
                <Button
                  size="small"
                  aria-label={t('removeNamed', { name: file.name })}
                  onClick={() => remove(file)}
                >
                  {t('remove')}
                </Button>
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  )
}
