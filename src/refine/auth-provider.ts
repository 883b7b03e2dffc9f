import { type AuthProvider, useGetIdentity } from '@refinedev/core'
import { SessionError } from '@/data/errors'
import { SignInError } from '@/session/auth-errors'
import { requestPasswordReset, updatePassword } from '@/session/passwords'
import type { SessionUser } from '@/session/types'
import { type SessionValue, useSession } from '@/session/use-session'

async function attempt(action: () => Promise<void>) {
  try {
    await action()
    return { success: true }
  } catch (error) {
    return { success: false, error: error instanceof Error ? error : new Error(String(error)) }
  }
}

/**
 * Refine's authentication over the session. Where a page goes after signing in or out follows from the session's
 * state (`app/areas.tsx`), so no answer here names a redirect.
 */
export function createAuthProvider(session: () => SessionValue): AuthProvider {
  return {
    login: async ({ email, password }: { email: string; password: string }) => {
      const result = await session().signIn(email, password)
      return result.ok ? { success: true } : { success: false, error: new SignInError(result) }
    },
    logout: async () => {
      await session().signOut()
      return { success: true }
    },
    check: async () => ({ authenticated: session().status === 'authenticated' }),
    onError: async (error: unknown) => {
      if (error instanceof SessionError) await session().reloadUser()
      return {}
    },
    getIdentity: async () => session().user,
    forgotPassword: ({ email }: { email: string }) => attempt(() => requestPasswordReset(email)),
    updatePassword: ({ password, currentPassword }: { password: string; currentPassword?: string }) =>
      attempt(() => updatePassword(password, currentPassword)),
  }
}

/** The signed-in user. Refine's `useGetIdentity`, which knows at the first paint what the session knows. */
export function useIdentity(): SessionUser | null {
  const { user } = useSession()
  const { data } = useGetIdentity<SessionUser | null>({
    queryOptions: { initialData: user, staleTime: Number.POSITIVE_INFINITY },
  })
  return data ?? null
}
