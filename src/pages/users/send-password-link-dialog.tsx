import { Alert, Modal } from 'antd'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { supabase } from '@/data/client'
import { type Row, readRow } from '@/data/rows'
import { thrownText } from '@/pages/auth/auth-error-text'
import type { DialogProps } from '@/resource/engine-context'
import { requestPasswordReset } from '@/session/passwords'
import { LoadingState } from '@/ui/loading-state'
import { useNotify } from '@/ui/notify'

/** A list from which the column was taken away does not bring the address. */
async function readEmail(record: Row | undefined): Promise<string> {
  if (typeof record?.email === 'string') return record.email
  const set = { table: 'profiles', companyId: null, select: 'email', id: String(record?.id) }
  return String((await readRow(supabase, set)).email)
}

/**
 * Mails a link with which its reader sets a password. There is nothing to ask, so it goes at once; only what
 * went wrong stays to be read. The account stands either way.
 */
export function SendPasswordLinkDialog({ records, onClose }: DialogProps) {
  const { t } = useTranslation('users')
  const { t: auth } = useTranslation('auth')
  const notify = useNotify()
  const [failure, setFailure] = useState<unknown>(null)
  const isAsked = useRef(false)
  const [record] = records

  const send = useCallback(async () => {
    setFailure(null)
    try {
      const email = await readEmail(record)
      await requestPasswordReset(email)
      notify({ type: 'success', title: t('link.sent'), description: t('link.sentText', { email }) })
      onClose()
    } catch (error) {
      setFailure(error)
    }
  }, [record, notify, onClose, t])
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
          title={t('link.failed', { name: String(record?.name ?? '') })}
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
