import type { Role } from '@/session/types'

/** Pages for one kind of person; everybody else is sent to the dashboard. */
const ONLY_FOR: Readonly<Record<string, readonly Role[]>> = {
  '/company-management': ['Super Admin'],
  '/create-company': ['Super Admin'],
  '/failed-login-attempts': ['Super Admin'],
  '/template-manager': ['Super Admin'],
  '/users': ['Super Admin', 'Admin'],
  '/create-user': ['Super Admin', 'Admin'],
}

function liesUnder(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(`${path}/`)
}

/**
 * Where somebody of this role is sent from a private page; null where they may stay. Standard users have
 * their tickets and nothing else.
 */
export function redirectFor(role: Role, pathname: string): string | null {
  if (role === 'Standard') return liesUnder(pathname, '/tickets') ? null : '/tickets'
  const guarded = Object.entries(ONLY_FOR).find(([path]) => liesUnder(pathname, path))
  return guarded && !guarded[1].includes(role) ? '/' : null
}
