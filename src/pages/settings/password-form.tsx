import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { thrownText } from '@/pages/auth/auth-error-text'
import { endOtherSessions, passwordProblem, updatePassword } from '@/session/passwords'
import { useNotify } from '@/ui/notify'
import { PlainButton } from '@/ui/plain-button'
import { PasswordField } from '@/ui/text-field'

export function PasswordForm() {
  const { t } = useTranslation(['settings', 'auth'])
  const notify = useNotify()
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [isBusy, setBusy] = useState(false)

  const handleSubmit = async (event: FormEvent) => {
    event.preventDefault()
    const problem = passwordProblem(password, repeated)
    if (problem !== null) {
      const short = problem === 'short'
      notify({
        type: 'error',
        title: short ? t('auth:reset.weakTitle') : t('auth:reset.mismatchTitle'),
        description: short ? t('auth:reset.weakText') : t('auth:reset.mismatchText'),
      })
      return
    }
    setBusy(true)
    try {
      await updatePassword(password)
      await endOtherSessions()
      setPassword('')
      setRepeated('')
      notify({ type: 'success', title: t('auth:reset.doneToast'), description: t('password.done') })
    } catch (error) {
      notify({
        type: 'error',
        title: t('auth:errorTitle'),
        description: thrownText(error, (key) => t(`auth:errors.${key}`), t('auth:reset.failed')),
      })
    } finally {
      setBusy(false)
    }
  }

  return (
    <form className="settings-form" noValidate onSubmit={(event) => void handleSubmit(event)}>
      <PasswordField
        label={t('auth:reset.password')}
        name="new-password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
      />
      <PasswordField
        label={t('auth:reset.repeat')}
        name="repeat-password"
        autoComplete="new-password"
        value={repeated}
        onChange={setRepeated}
      />
      <PlainButton type="submit" isBusy={isBusy}>
        {t('password.save')}
      </PlainButton>
    </form>
  )
}
