import { type ReactNode, useCallback, useEffect, useMemo } from 'react'
import { NOTHING_ALLOWED } from '@/access/permission-map'
import type { Can, MeetsRule } from '@/access/policy'
import { AccessContext } from '@/access/use-can'
import { usePermissionMap } from '@/access/use-permission-map'
import { companyTopic, subscribeToTopic } from '@/data/live'
import { useSession } from '@/session/use-session'

/** Changes of these tables may change permissions. */
const RIGHTS = ['companies', 'user_roles', '*']
/** Named when permission lines changed. */
const LINES = ['policy_rule', '*']

interface AccessProviderProps {
  /** Evaluates a row rule in memory. The definitions that name the rules are above this layer. */
  meetsRule: MeetsRule
  children: ReactNode
}

/**
 * Holds the permission map of the signed-in user, below SessionProvider. The map is reloaded with the user's
 * record, on a live message, when the license ends, and when permission lines change.
 */
export function AccessProvider({ children, meetsRule }: AccessProviderProps) {
  const { user, reloadUser } = useSession()
  const reload = useCallback(() => void reloadUser(), [reloadUser])
  const { permissions, isFailed, retry } = usePermissionMap(user, reload)

  const userId = user?.id ?? ''
  const topic = user && permissions ? companyTopic(user.companyId) : null
  useEffect(() => {
    if (topic === null) return
    return subscribeToTopic(topic, ({ table, readUntil }) => {
      // Every page reads this just before the first join; refetching would return the same.
      if (readUntil !== undefined) return
      if (RIGHTS.includes(table)) reload()
      if (LINES.includes(table)) retry()
    })
  }, [topic, reload, retry])

  const can = useCallback<Can>(
    (resource, action, record) => {
      const map = permissions ?? NOTHING_ALLOWED
      const verdict = map.can(resource, action)
      const rules = verdict.allowed && record ? map.rules(resource, action) : null
      if (rules === null || !record) return verdict
      // Where fields were not read, the database is asked: it refuses what no rule covers.
      const isCovered = rules.some((rule) => meetsRule(resource, rule, record, userId) !== false)
      return isCovered ? verdict : { allowed: false, reason: 'rule' }
    },
    [permissions, meetsRule, userId],
  )
  const isLimited = useCallback(
    (resource: string) => (permissions?.rules(resource, 'list') ?? null) !== null,
    [permissions],
  )
  const missing = isFailed ? 'error' : 'loading'
  const status = permissions ? 'ready' : missing
  const value = useMemo(() => ({ status, can, isLimited, retry }) as const, [status, can, isLimited, retry])
  return <AccessContext.Provider value={value}>{children}</AccessContext.Provider>
}
