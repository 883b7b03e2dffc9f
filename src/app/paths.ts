import { matchPath } from 'react-router'

/** Every private page the console has by itself; added resources bring theirs with their definition. */
export const PRIVATE_PATHS = [
  '/',
  '/dashboard',
  '/devices',
  '/devices/:id',
  '/tickets',
  '/tickets/:id',
  '/ticket-settings',
  '/automation',
  '/automation/:id',
  '/automation/:id/monitors',
  '/automation/:id/pcs',
  '/automation/:id/procedures',
  '/monitors',
  '/monitors/:id',
  '/create-monitor',
  '/procedures',
  '/procedures/:id',
  '/create-procedure',
  '/software',
  '/software-inventory',
  '/software-licenses',
  '/app-store',
  '/corporate-apps',
  '/patch-management',
  '/custom-commands',
  '/tasks',
  '/scheduled-tasks',
  '/template-manager',
  '/agents',
  '/groups',
  '/policies',
  '/users',
  '/company-management',
  '/categories/:id',
  '/issues/:id',
  '/settings',
  '/system-license',
  '/notifications',
] as const

export function isPrivatePath(pathname: string, declared: readonly string[] = []): boolean {
  return [...PRIVATE_PATHS, ...declared].some((pattern) => matchPath(pattern, pathname) !== null)
}
