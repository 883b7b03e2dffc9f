import { type FormEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { AuthLayout } from '@/pages/auth/auth-layout'
import { FailureNotice } from '@/pages/auth/failure-notice'
import { preloadRequests, useRequests } from '@/pages/auth/requests'
import type { SignInError } from '@/session/auth-errors'
import { isEarlyPageShown, takeEarlyForm } from '@/ui/early-page'
import { PlainButton } from '@/ui/plain-button'
import { PasswordField, TextField } from '@/ui/text-field'

export function LoginPage() {
  const { t } = useTranslation('auth')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isChecked, setChecked] = useState(false)
  const [request, setRequest] = useState<{ email: string; password: string } | null>(null)
  const requests = useRequests(request !== null)
  const [failure, setFailure] = useState<SignInError['failure'] | null>(null)
  const [pressed, setPressed] = useState<number | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const [hasEarlyPage] = useState(isEarlyPageShown)

  // Continues what was started in the form of the HTML before this script loaded.
  useLayoutEffect(() => {
    const early = takeEarlyForm()
    if (!early) return
    setEmail(early.email)
    setPassword(early.password)
    setPressed(early.pressed)
    // In a layout effect: a key pressed before the next frame must reach its field.
    const field = form.current?.elements.namedItem(early.focus ?? 'email')
    if (field instanceof HTMLInputElement) field.focus()
  }, [])
  useEffect(() => {
    if (pressed !== null) document.querySelectorAll<HTMLButtonElement>('.auth button')[pressed]?.click()
  }, [pressed])

  const handleSubmit = (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    setFailure(null)
    const address = email.trim()
    if (address && password) setRequest({ email: address, password })
  }
  const handleEnd = (result: SignInError['failure'] | null) => {
    setRequest(null)
    setFailure(result)
  }

  return (
    <AuthLayout title={t('login.title')} intro={t('login.intro')}>
      <form ref={form} className="auth-form" noValidate onSubmit={handleSubmit} onInput={preloadRequests}>
        {failure ? <FailureNotice failure={failure} /> : null}
        <TextField
          label={t('email')}
          type="email"
          name="email"
          autoComplete="username"
          placeholder={t('emailExample')}
          isFirst={!hasEarlyPage}
          required
          value={email}
          onChange={setEmail}
          error={isChecked && !email.trim() ? t('login.emailRequired') : undefined}
        />
        <PasswordField
          label={t('password')}
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
          error={isChecked && !password ? t('login.passwordRequired') : undefined}
        />
        <PlainButton type="submit" kind="primary" size="large" isBlock isBusy={request !== null}>
          {t('login.submit')}
        </PlainButton>
      </form>
      {request && requests ? <requests.LoginRequest {...request} onEnd={handleEnd} /> : null}
      <div className="auth-links">
        <Link to="/forgot-password">{t('login.forgot')}</Link>
        <Link to="/signup">{t('login.signup')}</Link>
      </div>
    </AuthLayout>
  )
}
