import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
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
  return (
    <>
      {uploads.length > 0 ? (
        <ul className="k-uploads" aria-label={t('uploads')}>
          {uploads.map(({ key, file, sent, state, error }) => (
            <li key={key} className="k-upload">
              <span className="k-file-name">{file.name}</span>
              {state === 'failed' ? (
                <span role="alert" className="k-upload-error">
                  {errorText(error)}
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
                {state === 'failed' ? (
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
