import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '@/data/error-text'
import { useErrorWords } from '@/pages/notifications/use-error-words'
import { isValidName, LONGEST_NAME, updateOwnName } from '@/session/profile'
import { useSession } from '@/session/use-session'
import { useNotify } from '@/ui/notify'
import { PlainButton } from '@/ui/plain-button'
import { TextField } from '@/ui/text-field'

export function NameForm({ userId, name: saved }: { userId: string; name: string }) {
  const { t } = useTranslation('settings')
  const words = useErrorWords()
  const notify = useNotify()
  const { reloadUser } = useSession()
  const [name, setName] = useState(saved)
  const [isChecked, setChecked] = useState(false)
  const [isBusy, setBusy] = useState(false)

  const handleSubmit = async (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!isValidName(name)) return
    setBusy(true)
    try {
      await updateOwnName(userId, name)
      notify({ type: 'success', title: t('profile.saved') })
      await reloadUser()
    } catch (error) {
      notify({ type: 'error', title: t('profile.failed'), description: errorText(error, words) })
    } finally {
      setBusy(false)
    }
  }

  return (
    <form className="settings-form" noValidate onSubmit={(event) => void handleSubmit(event)}>
      <TextField
        label={t('profile.name')}
        name="name"
        autoComplete="name"
        maxLength={LONGEST_NAME}
        value={name}
        onChange={setName}
        error={isChecked && !isValidName(name) ? t('profile.nameLength') : undefined}
      />
      <PlainButton type="submit" isBusy={isBusy}>
        {t('profile.save')}
      </PlainButton>
    </form>
  )
}
