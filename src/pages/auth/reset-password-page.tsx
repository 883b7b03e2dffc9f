import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { AuthLayout } from '@/pages/auth/auth-layout'
import { preloadRequests, useRequests } from '@/pages/auth/requests'
import type { SignInError } from '@/session/auth-errors'
import {
  endAllSessions,
  endOtherSessions,
  MINIMUM_PASSWORD_LENGTH,
  openRecovery,
  passwordProblem,
  recoveredEmail,
} from '@/session/passwords'
import { FullScreenSpinner } from '@/ui/full-screen-spinner'
import { PlainButton } from '@/ui/plain-button'
import { PasswordField } from '@/ui/text-field'
import { useToast } from '@/ui/toast'

/** Long enough to read that it worked. */
const REDIRECT_AFTER = 2000

type Stage = 'checking' | 'unreachable' | 'form' | 'done' | 'signing-in'

export function ResetPasswordPage() {
  const { t } = useTranslation('auth')
  const { show } = useToast()
  const navigate = useNavigate()
  const [stage, setStage] = useState<Stage>('checking')
  const [isSignedOut, setSignedOut] = useState(false)
  const [isInvited, setInvited] = useState(false)
  const [account, setAccount] = useState<{ email: string; password: string } | null>(null)
  const requests = useRequests(account !== null)

  useEffect(() => {
    if (stage !== 'checking') return
    let isCurrent = true
    void openRecovery().then((recovery) => {
      if (!isCurrent) return
      if (recovery === 'ready' || recovery === 'invited') {
        setInvited(recovery === 'invited')
        setStage('form')
      } else if (recovery === 'unreachable') setStage('unreachable')
      else {
        show({ type: 'error', title: t('reset.invalidTitle'), description: t('reset.invalidText') })
        void navigate('/forgot-password', { replace: true })
      }
    })
    return () => {
      isCurrent = false
    }
  }, [stage, show, navigate, t])

  useEffect(() => {
    // Before, /login would find the link's session and send its reader on to the dashboard.
    if (stage !== 'done' || !isSignedOut) return
    const timer = window.setTimeout(() => void navigate('/login', { replace: true }), REDIRECT_AFTER)
    return () => window.clearTimeout(timer)
  }, [stage, isSignedOut, navigate])

  if (stage === 'checking') return <FullScreenSpinner />
  if (stage === 'unreachable') {
    return (
      <AuthLayout title={t('reset.title')} intro={t('errors.offline')}>
        <PlainButton onClick={() => setStage('checking')}>{t('reset.again')}</PlainButton>
      </AuthLayout>
    )
  }
  if (stage === 'done') {
    return (
      <AuthLayout title={t('reset.doneTitle')} intro={t('reset.doneText')}>
        {isSignedOut ? <Link to="/login">{t('forgot.back')}</Link> : null}
      </AuthLayout>
    )
  }
  const handleDone = () => {
    setStage('done')
    void endAllSessions().finally(() => setSignedOut(true))
  }
  // The password was typed a moment ago: an invited account signs in with it, as the form would.
  const handleInvited = async (password: string) => {
    setAccount({ email: await recoveredEmail(), password })
    setStage('signing-in')
  }
  const handleSignedIn = (failure: SignInError['failure'] | null) => {
    setAccount(null)
    if (failure) return handleDone()
    void endOtherSessions()
    void navigate('/', { replace: true })
  }
  if (stage === 'signing-in')
    return (
      <>
        <FullScreenSpinner />
        {account && requests ? <requests.LoginRequest {...account} onEnd={handleSignedIn} /> : null}
      </>
    )
  return (
    <NewPasswordForm
      isFirst={isInvited}
      onDone={(password) => (isInvited ? void handleInvited(password) : handleDone())}
    />
  )
}

interface NewPasswordFormProps {
  /** Whether an invited account chooses its first password, and is then signed in. */
  isFirst: boolean
  onDone: (password: string) => void
}

function NewPasswordForm({ isFirst, onDone }: NewPasswordFormProps) {
  const { t } = useTranslation('auth')
  const { show } = useToast()
  // Only for a page that was opened from an earlier sign-in: a mailed link proves enough.
  const [asksForCurrent, setAsksForCurrent] = useState(false)
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [request, setRequest] = useState<string | null>(null)
  const requests = useRequests(request !== null)

  const handleSubmit = (event: FormEvent) => {
    event.preventDefault()
    const problem = passwordProblem(password, repeated)
    if (problem === 'short') {
      show({ type: 'error', title: t('reset.weakTitle'), description: t('reset.weakText') })
      return
    }
    if (problem === 'mismatch') {
      show({ type: 'error', title: t('reset.mismatchTitle'), description: t('reset.mismatchText') })
      return
    }
    setRequest(password)
  }

  return (
    <AuthLayout title={t('reset.title')} intro={t(isFirst ? 'reset.firstIntro' : 'reset.intro')}>
      <form className="auth-form" noValidate onSubmit={handleSubmit} onInput={preloadRequests}>
        {asksForCurrent ? (
          <PasswordField
            label={t('reset.current')}
            name="current-password"
            autoComplete="current-password"
            isFirst
            value={current}
            onChange={setCurrent}
          />
        ) : null}
        <PasswordField
          label={t('reset.password')}
          name="new-password"
          autoComplete="new-password"
          isFirst
          minLength={MINIMUM_PASSWORD_LENGTH}
          value={password}
          onChange={setPassword}
        />
        <PasswordField
          label={t('reset.repeat')}
          name="repeat-password"
          autoComplete="new-password"
          value={repeated}
          onChange={setRepeated}
        />
        <PlainButton type="submit" kind="primary" size="large" isBlock isBusy={request !== null}>
          {t('reset.submit')}
        </PlainButton>
      </form>
      {request !== null && requests ? (
        <requests.UpdatePasswordRequest
          password={request}
          currentPassword={current}
          isFirst={isFirst}
          onEnd={(isChanged, failure) => {
            setRequest(null)
            if (failure === 'current_password_required') setAsksForCurrent(true)
            if (isChanged) onDone(request)
          }}
        />
      ) : null}
    </AuthLayout>
  )
}
