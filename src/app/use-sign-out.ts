import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useSession } from '@/session/use-session'
import { useNotify } from '@/ui/notify'

/** Signs out, says so and goes to the sign-in page. */
export function useSignOut(): () => Promise<void> {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const notify = useNotify()
  const { signOut } = useSession()
  return async () => {
    await signOut()
    notify({ type: 'success', title: t('signedOut.title'), description: t('signedOut.text') })
    void navigate('/login', { replace: true })
  }
}
