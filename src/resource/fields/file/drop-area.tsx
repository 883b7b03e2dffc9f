import UploadOutlined from '@ant-design/icons/es/icons/UploadOutlined'
import { Button } from 'antd'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import '@/resource/fields/file/files.css'

interface DropAreaProps {
  onFiles: (files: File[]) => void
  /** Takes one file at a time. */
  isSingle?: boolean
  /** Narrows what the picker of the system offers, as the attribute `accept`. */
  accept?: string
  /** Files pasted anywhere on the page come here. */
  takesPaste?: boolean
  hint?: ReactNode
  id?: string
  isDisabled?: boolean
}

/** A pasted screenshot has no name of its own. */
function named(file: File): File {
  if (file.name && !/^image\.png$/i.test(file.name)) return file
  const stamp = new Date().toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '')
  return new File([file], `screenshot-${stamp}.png`, { type: file.type })
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest('input, textarea, [contenteditable="true"]') !== null

/** A button that picks files, and a place to drop them on or to paste them into. */
export function DropArea({
  onFiles,
  isSingle = false,
  accept,
  takesPaste = false,
  hint,
  id,
  isDisabled = false,
}: DropAreaProps) {
  const { t } = useTranslation('files')
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const take = (list: FileList | null | undefined) => {
    // A folder is dropped as an empty file without a type.
    const files = [...(list ?? [])].filter(({ size }) => size > 0)
    if (files.length > 0 && !isDisabled) onFiles(isSingle ? files.slice(0, 1) : files)
  }
  const taken = useRef(take)
  taken.current = take
  useEffect(() => {
    if (!takesPaste) return
    const handlePaste = (event: ClipboardEvent) => {
      const { files } = event.clipboardData ?? {}
      if (!files?.length || event.defaultPrevented) return
      // Text that is copied from Office comes with a picture of itself.
      if (isTyping(event.target) && event.clipboardData?.types.includes('text/plain')) return
      event.preventDefault()
      const transfer = new DataTransfer()
      for (const file of files) transfer.items.add(named(file))
      taken.current(transfer.files)
    }
    document.addEventListener('paste', handlePaste)
    return () => document.removeEventListener('paste', handlePaste)
  }, [takesPaste])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a further way beside the button
    <div
      className={isOver ? 'k-drop k-drop-over' : 'k-drop'}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer.files)
      }}
    >
      <input
        ref={input}
        type="file"
        hidden
        multiple={!isSingle}
        {...(accept ? { accept } : {})}
        data-testid="file-input"
        onChange={(event) => {
          take(event.target.files)
          event.target.value = ''
        }}
      />
      <Button
        {...(id ? { id } : {})}
        icon={<UploadOutlined aria-hidden="true" />}
        disabled={isDisabled}
        onClick={() => input.current?.click()}
      >
        {t(isSingle ? 'choose' : 'add')}
      </Button>
      <span className="k-drop-hint">{hint ?? t(isSingle ? 'dropOne' : 'drop')}</span>
    </div>
  )
}
