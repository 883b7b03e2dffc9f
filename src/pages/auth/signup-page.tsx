import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { AuthLayout } from '@/pages/auth/auth-layout'

/** Accounts are made by administrators only. */
export function SignupPage() {
  const { t } = useTranslation('auth')
  return (
    <AuthLayout title={t('signup.title')} intro={t('signup.text')}>
      <Link to="/login">{t('signup.back')}</Link>
    </AuthLayout>
  )
}
