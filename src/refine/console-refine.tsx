import { type I18nProvider, type NotificationProvider, Refine, type RefineProps } from '@refinedev/core'
import i18next from 'i18next'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import type { Can } from '@/access/policy'
import { setLanguage } from '@/i18n'
import { asLanguage } from '@/i18n/language'
import { answerAccess, createAccessControlProvider } from '@/refine/access-control-provider'
import { createAuthProvider } from '@/refine/auth-provider'
import { identityKey } from '@/refine/keys'
import { createQueryClient } from '@/refine/query-client'
import { routerProvider } from '@/refine/router-provider'
import { useSession } from '@/session/use-session'
import { useToast } from '@/ui/toast'

/**
 * Words for Refine's own texts (`locales/<language>/refine.json`). The console's screens use `useTranslation` with typed
 * keys. Refine calls with `(key, options, default)` and with `(key, default)`.
 */
export const i18nProvider: I18nProvider = {
  translate: (key, options, defaultMessage) => {
    const values = typeof options === 'object' && options !== null ? (options as Record<string, unknown>) : {}
    const fallback = typeof options === 'string' ? options : defaultMessage
    const translate = i18next.t as (key: string, values: Record<string, unknown>) => string
    return translate(key, { ...values, ns: 'refine', defaultValue: fallback ?? key })
  },
  changeLocale: (language) => setLanguage(asLanguage(language)),
  getLocale: () => i18next.language,
}

/**
 * The keys of the notifications that Refine opens by itself for a failed read. A screen shows such a failure in place. A
 * function that is read (`useCustom`) has the same key as one that is called, so `useRpc` says it there.
 */
const FAILED_READ = /-(?:getOne|getMany|useList|useInfiniteList)-notification$/

/** Refine's notifications as the console's one toast. */
export function useNotificationProvider(): NotificationProvider {
  const { show, dismiss } = useToast()
  return useMemo(
    () => ({
      open: ({ key, type, message, description }) => {
        if (key !== undefined && FAILED_READ.test(key)) return
        show({ key, type: type === 'progress' ? 'info' : type, title: message, description })
      },
      close: dismiss,
    }),
    [show, dismiss],
  )
}

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
 * `<Refine>` as the console mounts it: without data before sign-in (`app/areas.tsx`), and with everything behind
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
