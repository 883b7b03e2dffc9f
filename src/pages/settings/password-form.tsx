import { useNotification, useUpdatePassword } from '@refinedev/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { thrownText } from '@/session/auth-errors'
import { endOtherSessions, passwordProblem } from '@/session/passwords'
import { PlainButton } from '@/ui/plain-button'
import { PasswordField } from '@/ui/text-field'

export function PasswordForm({ onDone }: { onDone?: () => void }) {
  const { t } = useTranslation(['settings', 'auth'])
  const { open } = useNotification()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [repeated, setRepeated] = useState('')
  const [isBusy, setBusy] = useState(false)
  const { mutateAsync: updatePassword } = useUpdatePassword<{ password: string; currentPassword: string }>({
    // Both outcomes are told below.
    mutationOptions: { onSuccess: () => undefined },
  })

  const handleSubmit = async (event: FormEvent) => {
    event.preventDefault()
    if (current === '') {
      open?.({
        type: 'error',
        message: t('password.currentTitle'),
        description: t('auth:errors.current_password_required'),
      })
      return
    }
    const problem = passwordProblem(password, repeated)
    if (problem !== null) {
      const short = problem === 'short'
      open?.({
        type: 'error',
        message: short ? t('auth:reset.weakTitle') : t('auth:reset.mismatchTitle'),
        description: short ? t('auth:reset.weakText') : t('auth:reset.mismatchText'),
      })
      return
    }
    setBusy(true)
    try {
      const { success, error } = await updatePassword({ password, currentPassword: current })
      if (!success) throw error
      await endOtherSessions()
      setCurrent('')
      setPassword('')
      setRepeated('')
      open?.({ type: 'success', message: t('auth:reset.doneToast'), description: t('password.done') })
      onDone?.()
    } catch (error) {
      open?.({
        type: 'error',
        message: t('auth:errorTitle'),
        description: thrownText(error, (key) => t(`auth:errors.${key}`), t('auth:reset.failed')),
      })
    } finally {
      setBusy(false)
    }
  }

  return (
    <form className="settings-form" noValidate onSubmit={(event) => void handleSubmit(event)}>
      <PasswordField
        label={t('auth:reset.current')}
        name="current-password"
        autoComplete="current-password"
        value={current}
        onChange={setCurrent}
      />
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
