import { useNotification } from '@refinedev/core'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { downloadFile } from '@/data/files'
import type { Row } from '@/data/rows'
import { useFileSize } from '@/resource/fields/file/file-size'
import { useLinks } from '@/resource/fields/file/use-links'
import { useErrorText } from '@/resource/use-error-text'
import '@/resource/fields/file/files.css'

interface FileViewProps {
  /** The row that the field's key names; null where the reader does not see it. */
  file: Row | null
  dense: boolean
}

/** A file of a record: its preview or its name, and the way to save it. */
export function FileView({ file, dense }: FileViewProps) {
  const { t } = useTranslation('files')
  const size = useFileSize()
  const errorText = useErrorText()
  const { open } = useNotification()
  const path = String(file?.path ?? '')
  const preview = file?.has_preview === true ? `${path}.webp` : null
  const links = useLinks(preview ? [preview] : [])
  if (!file) return <span className="k-soft">{t('gone')}</span>
  const name = String(file.name)
  const link = preview ? links.get(preview) : undefined
  const picture = link ? <img src={link} alt={t('previewOf', { name })} loading="lazy" /> : null
  if (dense)
    return picture ? (
      <span className="k-file-thumb">{picture}</span>
    ) : (
      <span className="k-cell-text">{name}</span>
    )
  const handleDownload = () =>
    downloadFile({ path, name }).catch((error: unknown) => {
      open?.({ type: 'error', message: errorText(error) })
    })
  return (
    <span className="k-file-value">
      {picture ? <span className="k-file-large">{picture}</span> : null}
      <span>
        <Button type="link" size="small" aria-label={t('downloadNamed', { name })} onClick={handleDownload}>
          {name}
        </Button>{' '}
        <span className="k-soft">{size(Number(file.size))}</span>
      </span>
    </span>
  )
}
