import { Modal } from 'antd'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FailureNotice } from '@/pages/auth/failure-notice'
import type { SessionUser, SignInResult } from '@/session/types'
import { useSession } from '@/session/use-session'
import { PlainButton } from '@/ui/plain-button'
import { PasswordField, TextField } from '@/ui/text-field'

/** Above every other dialog, which must wait for the session. */
const Z_INDEX = 2000

/**
 * Covers a page whose session has ended: the user signs in again and continues. The page behind is blurred,
 * because a session also ends to protect an unattended screen.
 */
export function SessionDialog({ user }: { user: SessionUser }) {
  const { t } = useTranslation('auth')
  const { signIn, signOut } = useSession()
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [isLeaving, setLeaving] = useState(false)
  const [failure, setFailure] = useState<Exclude<SignInResult, { ok: true }> | null>(null)

  const handleSubmit = async (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    setFailure(null)
    if (!password) return
    setBusy(true)
    const result = await signIn(user.email, password)
    setBusy(false)
    if (!result.ok) setFailure(result)
  }

  return (
    <Modal
      open
      title={isLeaving ? t('expired.leaveTitle') : t('expired.title')}
      closable={false}
      keyboard={false}
      mask={{ blur: true }}
      footer={null}
      width={440}
      zIndex={Z_INDEX}
    >
      {isLeaving ? (
        <>
          <p>{t('expired.leaveText')}</p>
          <div className="k-session-buttons">
            <PlainButton onClick={() => setLeaving(false)}>{t('expired.stay')}</PlainButton>
            <PlainButton kind="primary" onClick={() => void signOut()}>
              {t('expired.leave')}
            </PlainButton>
          </div>
        </>
      ) : (
        <form className="k-session-form" noValidate onSubmit={(event) => void handleSubmit(event)}>
          <p>{t('expired.text')}</p>
          {failure ? <FailureNotice failure={failure} /> : null}
          <TextField
            label={t('email')}
            type="email"
            name="email"
            autoComplete="username"
            readOnly
            value={user.email}
            onChange={() => undefined}
          />
          <PasswordField
            label={t('password')}
            name="password"
            autoComplete="current-password"
            isFirst
            required
            value={password}
            onChange={setPassword}
            error={isChecked && !password ? t('login.passwordRequired') : undefined}
          />
          <div className="k-session-buttons">
            <PlainButton kind="text" onClick={() => setLeaving(true)}>
              {t('expired.other')}
            </PlainButton>
            <PlainButton type="submit" kind="primary" isBusy={isBusy}>
              {t('login.submit')}
            </PlainButton>
          </div>
        </form>
      )}
    </Modal>
  )
}
