import {
  type AuthActionResponse,
  useForgotPassword,
  useLogin,
  useNotification,
  useUpdatePassword,
} from '@refinedev/core'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { ConsoleRefine } from '@/refine/console-refine'
import { authErrorCode, SignInError, thrownText } from '@/session/auth-errors'

// Loaded with the first key or click in a form: Refine is half as large as the rest of the sign-in page.

/** Sends once, also where React runs effects twice. */
function useOnce(send: () => void): void {
  const isSent = useRef(false)
  useEffect(() => {
    if (isSent.current) return
    isSent.current = true
    send()
  })
}

/** An error in the reader's words, in a toast. */
function useFailureToast() {
  const { t } = useTranslation('auth')
  const { open } = useNotification()
  return (error: unknown, fallback: 'forgot.failed' | 'reset.failed') =>
    open?.({
      type: 'error',
      message: t('errorTitle'),
      description: thrownText(error, (key) => t(`errors.${key}`), t(fallback)),
    })
}

interface LoginRequestProps {
  email: string
  password: string
  onEnd: (failure: SignInError['failure'] | null) => void
}

/** Signs in once; the caller shows the result. */
export function LoginRequest(props: LoginRequestProps) {
  return (
    <ConsoleRefine>
      <SendLogin {...props} />
    </ConsoleRefine>
  )
}

function SendLogin({ email, password, onEnd }: LoginRequestProps) {
  const { t } = useTranslation('auth')
  const { open } = useNotification()
  const { mutate } = useLogin<{ email: string; password: string }>({
    mutationOptions: {
      // The form shows the failure, not Refine's toast.
      onSuccess: ({ success, error }) => {
        if (success)
          open?.({ type: 'success', message: t('login.success'), description: t('login.successText') })
        onEnd(error instanceof SignInError ? error.failure : null)
      },
    },
  })
  useOnce(() => mutate({ email, password }))
  return null
}

interface ForgotPasswordRequestProps {
  email: string
  onEnd: (isSent: boolean) => void
}

export function ForgotPasswordRequest(props: ForgotPasswordRequestProps) {
  return (
    <ConsoleRefine>
      <SendForgotPassword {...props} />
    </ConsoleRefine>
  )
}

function SendForgotPassword({ email, onEnd }: ForgotPasswordRequestProps) {
  const { t } = useTranslation('auth')
  const { open } = useNotification()
  const tellFailure = useFailureToast()
  const { mutate } = useForgotPassword<{ email: string }>({
    mutationOptions: {
      onSuccess: (answer) => {
        const { success, error } = answer as AuthActionResponse
        if (success)
          open?.({ type: 'success', message: t('forgot.sentTitle'), description: t('forgot.sentText') })
        else tellFailure(error, 'forgot.failed')
        onEnd(success)
      },
    },
  })
  useOnce(() => mutate({ email }))
  return null
}

interface UpdatePasswordRequestProps {
  password: string
  currentPassword: string
  /** The sign-in that follows speaks for itself. */
  isFirst: boolean
  onEnd: (isChanged: boolean, failure?: string) => void
}

export function UpdatePasswordRequest(props: UpdatePasswordRequestProps) {
  return (
    <ConsoleRefine>
      <SendUpdatePassword {...props} />
    </ConsoleRefine>
  )
}

function SendUpdatePassword({ password, currentPassword, isFirst, onEnd }: UpdatePasswordRequestProps) {
  const { t } = useTranslation('auth')
  const { open } = useNotification()
  const tellFailure = useFailureToast()
  const { mutate } = useUpdatePassword<{ password: string; currentPassword: string }>({
    mutationOptions: {
      onSuccess: ({ success, error }) => {
        if (!success) tellFailure(error, 'reset.failed')
        else if (!isFirst)
          open?.({ type: 'success', message: t('reset.doneToast'), description: t('reset.doneText') })
        onEnd(success, success ? undefined : authErrorCode(error))
      },
    },
  })
  useOnce(() => mutate({ password, currentPassword }))
  return null
}
