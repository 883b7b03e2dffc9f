import { useForm, useNotification } from '@refinedev/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useErrorText } from '@/resource/use-error-text'
import { isValidName, LONGEST_NAME } from '@/session/profile'
import { useSession } from '@/session/use-session'
import { PlainButton } from '@/ui/plain-button'
import { TextField } from '@/ui/text-field'

export function NameForm({ userId, name: saved }: { userId: string; name: string }) {
  const { t } = useTranslation('settings')
  const errorText = useErrorText()
  const { open } = useNotification()
  const { reloadUser } = useSession()
  const [name, setName] = useState(saved)
  const [isChecked, setChecked] = useState(false)
  const { onFinish, mutation } = useForm({
    resource: 'profiles',
    action: 'edit',
    id: userId,
    // The session has the name already.
    queryOptions: { enabled: false },
    redirect: false,
    successNotification: false,
    errorNotification: false,
  })

  const handleSubmit = async (event: FormEvent) => {
    event.preventDefault()
    setChecked(true)
    if (!isValidName(name)) return
    try {
      await onFinish({ name: name.trim() })
      open?.({ type: 'success', message: t('profile.saved') })
      await reloadUser()
    } catch (error) {
      open?.({ type: 'error', message: t('profile.failed'), description: errorText(error) })
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
      <PlainButton type="submit" isBusy={mutation.isPending}>
        {t('profile.save')}
      </PlainButton>
    </form>
  )
}
