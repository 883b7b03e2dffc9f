import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { CheckError } from '@/data/errors'
import { useFileSize } from '@/resource/fields/file/file-size'
import type { Uploads } from '@/resource/fields/file/use-uploads'
import { useErrorText } from '@/resource/use-error-text'
import { LeaveGuard } from '@/ui/leave-guard'
import { ProgressBar } from '@/ui/progress-bar'
import '@/resource/fields/file/files.css'

/** Uploads under way and those that failed. Leaving the page asks first. */
export function UploadList({ uploads: { uploads, isSending, cancel, retry } }: { uploads: Uploads }) {
  const { t } = useTranslation('files')
  const errorText = useErrorText()
  const size = useFileSize()
  const failureText = (file: File, error: unknown) => {
    const maxMb = error instanceof CheckError && error.rule === 'file_size' ? Number(error.values.max_mb) : 0
    if (!(maxMb > 0)) return errorText(error)
    return t('tooLarge', { name: file.name, size: size(file.size, true), max: size(maxMb * 1024 * 1024) })
  }
  return (
    <>
      {uploads.length > 0 ? (
        <ul className="k-uploads" aria-label={t('uploads')}>
          {uploads.map(({ key, file, sent, state, error }) => (
            <li key={key} className="k-upload">
              <span className="k-file-name">{file.name}</span>
              {state === 'failed' ? (
                <span role="alert" className="k-upload-error">
                  {failureText(file, error)}
                </span>
              ) : (
                <>
                  <span className="k-soft">
                    {t('sent', { sent: size(Math.min(sent, file.size)), size: size(file.size) })}
                  </span>
                  <ProgressBar label={file.name} done={sent} total={file.size} />
                </>
              )}
              <span className="k-file-acts">
                {/* The same file would be refused again. */}
                {state === 'failed' && !(error instanceof CheckError) ? (
                  <Button size="small" onClick={() => retry(key)}>
                    {t('retry')}
                  </Button>
                ) : null}
                <Button
                  size="small"
                  aria-label={t(state === 'failed' ? 'dismissNamed' : 'cancelNamed', { name: file.name })}
                  onClick={() => cancel(key)}
                >
                  {t(state === 'failed' ? 'dismiss' : 'cancel')}
                </Button>
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      <LeaveGuard loss="job" isLost={() => isSending} title={t('leave')} text={t('leaveText')} />
    </>
  )
}
