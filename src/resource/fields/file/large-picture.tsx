import { useNotification } from '@refinedev/core'
import { Button, Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { downloadFile, type FileRow } from '@/data/files'
import { useLinks } from '@/resource/fields/file/use-links'
import { useErrorText } from '@/resource/use-error-text'

/** Pictures that every browser draws; of others the preview is shown. */
const DRAWN: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif'])

interface LargePictureProps {
  file: FileRow
  /** Leads to the preview, which is shown until the picture itself is read. */
  preview: string
  onClose: () => void
}

/** A picture over the page, with the way to save it. */
export function LargePicture({ file, preview, onClose }: LargePictureProps) {
  const { t } = useTranslation('files')
  const errorText = useErrorText()
  const { open } = useNotification()
  const links = useLinks(DRAWN.has(file.type) ? [file.path] : [])
  const handleDownload = () =>
    void downloadFile(file).catch((error: unknown) => open?.({ type: 'error', message: errorText(error) }))
  return (
    <Modal
      open
      centered
      mask={{ closable: true }}
      width="min(1200px, 96vw)"
      title={file.name}
      onCancel={onClose}
      footer={<Button onClick={handleDownload}>{t('download')}</Button>}
    >
      <img
        className="k-file-whole"
        src={links.get(file.path) ?? preview}
        alt={t('previewOf', { name: file.name })}
      />
    </Modal>
  )
}
