import { Alert, Modal } from 'antd'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { thrownText } from '@/pages/auth/auth-error-text'
import type { DialogProps } from '@/resource/engine-context'
import { requestPasswordReset } from '@/session/passwords'
import { LoadingState } from '@/ui/loading-state'
import { useNotify } from '@/ui/notify'

/**
 * Mails a link with which its reader sets a password. There is nothing to ask, so it goes at once; only what
 * went wrong stays to be read. The account stands either way.
 */
export function SendPasswordLink({ records, onClose }: DialogProps) {
  const { t } = useTranslation('users')
  const { t: auth } = useTranslation('auth')
  const notify = useNotify()
  const [failure, setFailure] = useState<unknown>(null)
  const isAsked = useRef(false)
  const email = String(records[0]?.email ?? '')

  const send = useCallback(async () => {
    setFailure(null)
    try {
      await requestPasswordReset(email)
      notify({ type: 'success', title: t('link.sent'), description: t('link.sentText', { email }) })
      onClose()
    } catch (error) {
      setFailure(error)
    }
  }, [email, notify, onClose, t])
  useEffect(() => {
    // An effect may run twice; a mail goes once.
    if (isAsked.current) return
    isAsked.current = true
    void send()
  }, [send])

  return (
    <Modal
      open
      title={t('link.title')}
      okText={t('link.again')}
      cancelText={t('link.close')}
      okButtonProps={{ disabled: failure === null }}
      onOk={() => void send()}
      onCancel={onClose}
    >
      {failure === null ? (
        <LoadingState rows={1} />
      ) : (
        <Alert
          type="error"
          showIcon
          title={t('link.failed', { email })}
          description={
            <>
              <p>{thrownText(failure, (key) => auth(`errors.${key}`), t('link.failedReason'))}</p>
              <p>{t('link.failedText')}</p>
            </>
          }
        />
      )}
    </Modal>
  )
}
