import type { TitleKey } from '@/app/titles'
import type { Role } from '@/session/types'

interface Neighbour {
  path: string
  label: TitleKey
  roles?: readonly Role[]
}

/** Lists without a sidebar entry are tabs beside the list that has one, which comes first. */
const TAB_GROUPS: readonly (readonly Neighbour[])[] = [
  [
    { path: '/devices', label: 'devices' },
    { path: '/groups', label: 'groups' },
    { path: '/policies', label: 'policies' },
  ],
  [
    { path: '/agents', label: 'agents' },
    { path: '/enrollment-tokens', label: 'enrollmentTokens', roles: ['Super Admin', 'Admin'] },
    { path: '/enrollment-requests', label: 'enrollmentRequests', roles: ['Super Admin', 'Admin'] },
  ],
  [
    { path: '/monitors', label: 'monitors' },
    { path: '/alerts', label: 'alerts' },
  ],
  [
    { path: '/patch-management', label: 'patchManagement' },
    { path: '/patches', label: 'patches' },
  ],
  [
    { path: '/software-inventory', label: 'softwareInventory' },
    { path: '/software', label: 'software' },
    { path: '/corporate-apps', label: 'corporateApps' },
  ],
  [
    { path: '/custom-commands', label: 'customCommands' },
    { path: '/tasks', label: 'tasks' },
    { path: '/runs', label: 'runs' },
    { path: '/scheduled-tasks', label: 'scheduledTasks' },
  ],
  [
    { path: '/tickets', label: 'tickets' },
    { path: '/ticket-settings', label: 'ticketSettings', roles: ['Super Admin', 'Admin', 'Teknik'] },
    { path: '/categories', label: 'ticketCategories', roles: ['Super Admin', 'Admin', 'Teknik'] },
    { path: '/issues', label: 'ticketIssues', roles: ['Super Admin', 'Admin', 'Teknik'] },
  ],
  [
    { path: '/settings', label: 'settings' },
    { path: '/users', label: 'users', roles: ['Super Admin', 'Admin'] },
    { path: '/audit-log', label: 'auditLog', roles: ['Super Admin', 'Admin', 'Teknik'] },
    { path: '/security-log', label: 'securityLog', roles: ['Super Admin', 'Admin'] },
    { path: '/failed-login-attempts', label: 'failedSignIns', roles: ['Super Admin'] },
  ],
]

/** A list that is a tab needs no entry of its own in the sidebar. */
export function isNeighbour(path: string): boolean {
  return TAB_GROUPS.some((members) => members.some((member) => member.path === path))
}

/** The tabs over a list; none over records, forms and lists without tabs. */
export function neighboursOf(pathname: string, role: Role): readonly Neighbour[] {
  const group = TAB_GROUPS.find((members) => members.some((member) => member.path === pathname)) ?? []
  const visible = group.filter((member) => !member.roles || member.roles.includes(role))
  return visible.length > 1 ? visible : []
}

/** The path of the sidebar entry that a list belongs to: its own, or that of the first tab beside it. */
export function entryOfList(path: string): string {
  const group = TAB_GROUPS.find((members) => members.some((member) => member.path === path))
  return group?.[0]?.path ?? path
}

/** A sidebar entry's own path and those of the tabs beside it, in their order. */
export function tabsOfEntry(path: string): string[] {
  const group = TAB_GROUPS.find(([first]) => first?.path === path)
  return group ? group.map((member) => member.path) : [path]
}
