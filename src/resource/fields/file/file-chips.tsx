import FileOutlined from '@ant-design/icons/es/icons/FileOutlined'
import { useNotification } from '@refinedev/core'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { downloadFile, type FileRow } from '@/data/files'
import { useFileSize } from '@/resource/fields/file/file-size'
import { useLinks } from '@/resource/fields/file/use-links'
import { useErrorText } from '@/resource/use-error-text'
import { lazyPart } from '@/ui/load-chunk'
import '@/resource/fields/file/files.css'

const LargePicture = lazyPart(() =>
  import('@/resource/fields/file/large-picture').then((module) => ({ default: module.LargePicture })),
)

interface FilePictureProps {
  file: FileRow
  /** Leads to the preview. */
  link: string | undefined
}

export function FilePicture({ file, link }: FilePictureProps) {
  const { t } = useTranslation('files')
  return (
    <span className="k-file-picture">
      {link ? (
        <img src={link} alt={t('previewOf', { name: file.name })} loading="lazy" />
      ) : (
        <FileOutlined aria-hidden="true" />
      )}
    </span>
  )
}

/** The preview of a file, which a press opens large; a file without one has its icon. */
export function FileOpener({ file, link }: FilePictureProps) {
  const { t } = useTranslation('files')
  const [isOpen, setOpen] = useState(false)
  if (!link) return <FilePicture file={file} link={link} />
  return (
    <>
      <button
        type="button"
        className="k-file-opener"
        aria-label={t('openNamed', { name: file.name })}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <FilePicture file={file} link={link} />
      </button>
      {isOpen ? (
        <Suspense fallback={null}>
          <LargePicture file={file} preview={link} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  )
}

/** Files side by side: a press opens one that has a preview, and saves one that has none. */
export function FileChips({ files }: { files: readonly FileRow[] }) {
  const { t } = useTranslation('files')
  const size = useFileSize()
  const errorText = useErrorText()
  const { open } = useNotification()
  const [opened, setOpened] = useState<FileRow | null>(null)
  const links = useLinks(files.flatMap(({ has_preview, path }) => (has_preview ? [`${path}.webp`] : [])))
  const preview = opened ? links.get(`${opened.path}.webp`) : undefined
  const handlePress = (file: FileRow, link: string | undefined) => {
    if (link) setOpened(file)
    else
      void downloadFile(file).catch((error: unknown) => open?.({ type: 'error', message: errorText(error) }))
  }
  return (
    <>
      <ul className="k-file-chips" aria-label={t('list')}>
        {files.map((file) => {
          const link = links.get(`${file.path}.webp`)
          return (
            <li key={file.id}>
              <button
                type="button"
                aria-label={t(link ? 'openNamed' : 'downloadNamed', { name: file.name })}
                {...(link ? { 'aria-haspopup': 'dialog' } : {})}
                onClick={() => handlePress(file, link)}
              >
                <FilePicture file={file} link={link} />
                <span className="k-file-about">
                  <span className="k-file-name">{file.name}</span>
                  <span className="k-soft">{size(file.size)}</span>
                </span>
              </button>
            </li>
          )
        })}
      </ul>
      {opened && preview ? (
        <Suspense fallback={null}>
          <LargePicture file={opened} preview={preview} onClose={() => setOpened(null)} />
        </Suspense>
      ) : null}
    </>
  )
}
