import { useTranslation } from 'react-i18next'
import { authErrorText } from '@/session/auth-errors'
import type { SignInResult } from '@/session/types'
import { Notice } from '@/ui/notice'

/** Why a sign-in failed. */
export function FailureNotice({ failure }: { failure: Exclude<SignInResult, { ok: true }> }) {
  const { t } = useTranslation('auth')
  const text = {
    rejected: () => authErrorText(failure, (key) => t(`errors.${key}`), t('login.failed')),
    exception: () => authErrorText(failure, (key) => t(`errors.${key}`), t('login.exception')),
    'no-role': () => t('login.noRole'),
  }[failure.kind]()
  const title = t('login.failed')
  return <Notice tone="error" role="alert" title={title} text={text === title ? undefined : text} />
}
