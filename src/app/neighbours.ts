import type { TitleKey } from '@/app/titles'
import type { Role } from '@/session/types'

interface Neighbour {
  path: string
  label: TitleKey
  roles?: readonly Role[]
}

/** Lists without a sidebar entry stand as tabs beside the one they belong to. */
const FAMILIES: readonly (readonly Neighbour[])[] = [
  [
    { path: '/devices', label: 'devices' },
    { path: '/groups', label: 'groups' },
    { path: '/policies', label: 'policies' },
  ],
  [
    { path: '/software-inventory', label: 'softwareInventory' },
    { path: '/software', label: 'software' },
    { path: '/corporate-apps', label: 'corporateApps' },
  ],
  [
    { path: '/custom-commands', label: 'customCommands' },
    { path: '/tasks', label: 'tasks' },
    { path: '/scheduled-tasks', label: 'scheduledTasks' },
  ],
  [
    { path: '/tickets', label: 'tickets' },
    { path: '/ticket-settings', label: 'ticketSettings', roles: ['Super Admin', 'Admin', 'Teknik'] },
  ],
  [
    { path: '/settings', label: 'settings' },
    { path: '/users', label: 'users', roles: ['Super Admin', 'Admin'] },
  ],
]

/** The tabs over a list; none over records, forms and lists that stand alone. */
export function neighboursOf(pathname: string, role: Role): readonly Neighbour[] {
  const family = FAMILIES.find((members) => members.some((member) => member.path === pathname)) ?? []
  const visible = family.filter((member) => !member.roles || member.roles.includes(role))
  return visible.length > 1 ? visible : []
}
