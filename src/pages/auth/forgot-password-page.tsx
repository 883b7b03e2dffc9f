import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { AuthLayout } from '@/pages/auth/auth-layout'
import { preloadRequests, useRequests } from '@/pages/auth/requests'
import { PlainButton } from '@/ui/plain-button'
import { TextField } from '@/ui/text-field'
import { useToast } from '@/ui/toast'

export function ForgotPasswordPage() {
  const { t } = useTranslation('auth')
  const { show } = useToast()
  const [email, setEmail] = useState('')
  const [request, setRequest] = useState<string | null>(null)
  const requests = useRequests(request !== null)
  const [sentTo, setSentTo] = useState<string | null>(null)

  const handleSubmit = (event: FormEvent) => {
    event.preventDefault()
    const address = email.trim()
    if (address) setRequest(address)
    else show({ type: 'error', title: t('forgot.requiredTitle'), description: t('forgot.requiredText') })
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
      <form className="auth-form" noValidate onSubmit={handleSubmit} onInput={preloadRequests}>
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
        <PlainButton type="submit" kind="primary" size="large" isBlock isBusy={request !== null}>
          {t('forgot.submit')}
        </PlainButton>
      </form>
      {request !== null && requests ? (
        <requests.ForgotPasswordRequest
          email={request}
          onEnd={(isSent) => {
            setRequest(null)
            if (isSent) setSentTo(request)
          }}
        />
      ) : null}
      <div className="auth-links">
        <Link to="/login">{t('forgot.back')}</Link>
      </div>
    </AuthLayout>
  )
}
