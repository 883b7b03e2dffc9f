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

/** All a Standard user has: their tickets, and the form that opens one. */
const TICKET_PATHS = ['/tickets', '/create-ticket']

/** Where somebody of this role is sent from a private page; null where they may stay. */
export function redirectFor(role: Role, pathname: string): string | null {
  if (role === 'Standard') return TICKET_PATHS.some((path) => liesUnder(pathname, path)) ? null : '/tickets'
  const guarded = Object.entries(ONLY_FOR).find(([path]) => liesUnder(pathname, path))
  return guarded && !guarded[1].includes(role) ? '/' : null
}
