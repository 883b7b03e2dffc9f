import { useGetIdentity } from '@refinedev/core'
import type { SessionUser } from '@/session/types'
import { useSession } from '@/session/use-session'

/** The signed-in user. Refine's `useGetIdentity`, which knows at the first paint what the session knows. */
export function useIdentity(): SessionUser | null {
  const { user } = useSession()
  const { data } = useGetIdentity<SessionUser | null>({
    queryOptions: { initialData: user, staleTime: Number.POSITIVE_INFINITY },
  })
  return data ?? null
}
