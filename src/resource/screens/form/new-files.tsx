import { useNotification } from '@refinedev/core'
import { Button, Form } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { deleteFile, type FileRow } from '@/data/files'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import { DropArea } from '@/resource/fields/file/drop-area'
import { useFileSize } from '@/resource/fields/file/file-size'
import { UploadList } from '@/resource/fields/file/upload-list'
import { useUploads } from '@/resource/fields/file/use-uploads'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { useErrorText } from '@/resource/use-error-text'
import '@/resource/fields/file/files.css'
import '@/resource/screens/form/cards.css'

/** The files that wait for the record of a form. */
export interface WaitingFiles {
  /** Attaches them to the record once it is saved. A failure is told, and keeps nobody in the form. */
  attach: (saved: Row) => Promise<void>
  /** Whether leaving the form would lose any. */
  isDirty: () => boolean
}

interface NewFilesProps {
  definition: Definition
  onReady: (waiting: WaitingFiles) => void
}

/** Files for a record that is not saved yet: drafts of whoever uploads them until the record is created. */
export function NewFiles({ definition, onReady }: NewFilesProps) {
  const { t } = useTranslation('files')
  const size = useFileSize()
  const errorText = useErrorText()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const scope = useResourceScope()
  const form = Form.useFormInstance<Row>()
  const chosen: unknown = Form.useWatch('company_id', { form, preserve: true })
  const companyId = typeof chosen === 'string' ? chosen : scope.companyId
  const [files, setFiles] = useState<readonly FileRow[]>([])
  const table = tableOf(definition)
  const uploads = useUploads(
    { resource: table, recordId: null, companyId: companyId ?? '', field: null },
    (file) => setFiles((all) => [...all, file]),
  )
  const ids = useRef<readonly string[]>([])
  ids.current = files.map(({ id }) => id)
  const isSending = useRef(false)
  isSending.current = uploads.isSending
  useEffect(() => {
    const attach = async (saved: Row) => {
      // An upload that is under way belongs to the record, too.
      while (isSending.current) await new Promise((done) => setTimeout(done, 100))
      if (ids.current.length === 0) return
      try {
        await call('attach_files', { ids: [...ids.current], resource: table, record_id: saved.id })
        await cache.invalidate('files')
      } catch (error) {
        // The record is there: its page takes the files again.
        open?.({ type: 'error', message: t('notAttached'), description: errorText(error) })
      }
      ids.current = []
      setFiles([])
    }
    onReady({ attach, isDirty: () => isSending.current || ids.current.length > 0 })
  }, [onReady, call, cache, table, open, t, errorText])
  if (companyId === null) return null
  const remove = async (id: string) => {
    setFiles((all) => all.filter((file) => file.id !== id))
    await deleteFile(id).catch(() => undefined)
  }
  return (
    <fieldset className="k-form-section">
      <legend>{t('attachments')}</legend>
      <div className="l-stack-12 k-new-files">
        <DropArea takesPaste onFiles={uploads.add} />
        <UploadList uploads={uploads} />
        {files.length > 0 ? (
          <ul className="k-files" aria-label={t('list')}>
            {files.map((file) => (
              <li key={file.id} className="k-file">
                <span className="k-file-about">
                  <span className="k-file-name">{file.name}</span>
                  <span className="k-soft">{size(file.size)}</span>
                </span>
                <span className="k-file-acts">
                  <Button
                    size="small"
                    disabled={false}
                    aria-label={t('deleteNamed', { name: file.name })}
                    onClick={() => void remove(file.id)}
                  >
                    {t('delete')}
                  </Button>
                </span>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </fieldset>
  )
}
