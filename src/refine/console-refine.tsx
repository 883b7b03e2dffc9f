import { Refine, type RefineProps } from '@refinedev/core'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { Can } from '@/access/policy'
import { answerAccess, createAccessControlProvider } from '@/refine/access-control-provider'
import { createAuthProvider } from '@/refine/auth-provider'
import { i18nProvider } from '@/refine/i18n-provider'
import { identityKey } from '@/refine/keys'
import { useNotificationProvider } from '@/refine/notification-provider'
import { createQueryClient } from '@/refine/query-client'
import { routerProvider } from '@/refine/router-provider'
import { useSession } from '@/session/use-session'

const OPTIONS = {
  disableTelemetry: true,
  disableRouteChangeHandler: true,
  syncWithLocation: false,
  liveMode: 'off',
  // Words come from the console's own files.
  textTransformers: {
    humanize: (text: string) => text,
    plural: (text: string) => text,
    singular: (text: string) => text,
  },
} as const

const nothingAllowed: Can = () => ({ allowed: false, reason: 'role' })

interface ConsoleRefineProps
  extends Pick<RefineProps, 'dataProvider' | 'liveProvider' | 'auditLogProvider' | 'resources'> {
  /** The permissions of the signed-in user; nobody asks for them before sign-in. */
  can?: Can
  children: ReactNode
}

/**
 * `<Refine>` as the console mounts it: without data before sign-in (`app/public-page.tsx`), and with everything behind
 * it (`app/private-app.tsx`), where it is mounted again for each user. Its cache ends with it: signing out leaves no row
 * behind, not even in memory.
 */
export function ConsoleRefine({ children, can = nothingAllowed, ...providers }: ConsoleRefineProps) {
  const session = useSession()
  const current = useRef(session)
  useEffect(() => {
    current.current = session
  })
  const authProvider = useMemo(() => createAuthProvider(() => current.current), [])
  const [{ queryClient, access }] = useState(() => {
    const client = createQueryClient()
    return { queryClient: client, access: answerAccess(client, can) }
  })
  // While rendering, so that the children ask the new permissions; the same ones change nothing.
  access.update(can)
  const accessControlProvider = useMemo(() => createAccessControlProvider(can), [can])
  useEffect(() => () => queryClient.clear(), [queryClient])
  // The session read its user record again, so `getIdentity` must be read again.
  const { user } = session
  useEffect(() => {
    if (user) void queryClient.invalidateQueries({ queryKey: identityKey() })
  }, [user, queryClient])
  return (
    <Refine
      {...providers}
      accessControlProvider={accessControlProvider}
      routerProvider={routerProvider}
      authProvider={authProvider}
      i18nProvider={i18nProvider}
      notificationProvider={useNotificationProvider}
      options={{ ...OPTIONS, reactQuery: { clientConfig: queryClient } }}
    >
      {children}
    </Refine>
  )
}
