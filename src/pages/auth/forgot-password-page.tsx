import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { thrownText } from '@/pages/auth/auth-error-text'
import { AuthLayout } from '@/pages/auth/auth-layout'
import { requestPasswordReset } from '@/session/passwords'
import { useNotify } from '@/ui/notify'
import { PlainButton } from '@/ui/plain-button'
import { TextField } from '@/ui/text-field'

export function ForgotPasswordPage() {
  const { t } = useTranslation('auth')
  const notify = useNotify()
  const [email, setEmail] = useState('')
  const [isBusy, setBusy] = useState(false)
  const [sentTo, setSentTo] = useState<string | null>(null)

  const handleSubmit = async (event: FormEvent) => {
    event.preventDefault()
    const address = email.trim()
    if (!address) {
      notify({ type: 'error', title: t('forgot.requiredTitle'), description: t('forgot.requiredText') })
      return
    }
    setBusy(true)
    try {
      await requestPasswordReset(address)
      setSentTo(address)
      notify({ type: 'success', title: t('forgot.sentTitle'), description: t('forgot.sentText') })
    } catch (error) {
      notify({
        type: 'error',
        title: t('errorTitle'),
        description: thrownText(error, (key) => t(`errors.${key}`), t('forgot.failed')),
      })
    } finally {
      setBusy(false)
    }
  }

  if (sentTo !== null) {
    return (
      <AuthLayout title={t('forgot.viewTitle')} intro={t('forgot.viewText', { email: sentTo })}>
        <ul className="auth-hints">
          <li>{t('forgot.hintInbox')}</li>
          <li>{t('forgot.hintSpam')}</li>
          <li>{t('forgot.hintHour')}</li>
        </ul>
        <PlainButton isBlock size="large" onClick={() => setSentTo(null)}>
          {t('forgot.again')}
        </PlainButton>
        <div className="auth-links">
          <Link to="/login">{t('forgot.back')}</Link>
        </div>
      </AuthLayout>
    )
  }
  return (
    <AuthLayout title={t('forgot.title')} intro={t('forgot.intro')}>
      <form className="auth-form" noValidate onSubmit={(event) => void handleSubmit(event)}>
        <TextField
          label={t('email')}
          type="email"
          name="email"
          autoComplete="username"
          placeholder={t('emailExample')}
          isFirst
          value={email}
          onChange={setEmail}
        />
        <PlainButton type="submit" kind="primary" size="large" isBlock isBusy={isBusy}>
          {t('forgot.submit')}
        </PlainButton>
      </form>
      <div className="auth-links">
        <Link to="/login">{t('forgot.back')}</Link>
      </div>
    </AuthLayout>
  )
}
