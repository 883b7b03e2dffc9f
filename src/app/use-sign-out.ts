import { useLogout, useNotification } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'

/** Signs out, shows a toast and goes to the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const { open } = useNotification()
  const { mutateAsync: logout } = useLogout()
  return async () => {
    await logout()
    open?.({ type: 'success', message: t('signedOut.title'), description: t('signedOut.text') })
    void navigate('/login', { replace: true })
  }
}
