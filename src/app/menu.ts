import type { TitleKey } from '@/app/titles'
import type { Role } from '@/session/types'

export interface MenuEntry {
  path: string
  label: TitleKey
}

const GENERAL: readonly MenuEntry[] = [
  { path: '/', label: 'dashboard' },
  { path: '/devices', label: 'devices' },
  { path: '/agents', label: 'agents' },
  { path: '/procedures', label: 'procedures' },
  { path: '/monitors', label: 'monitors' },
  { path: '/automation', label: 'automation' },
  { path: '/patch-management', label: 'patchManagement' },
  { path: '/software-licenses', label: 'softwareLicenses' },
  { path: '/software-inventory', label: 'softwareInventory' },
  { path: '/app-store', label: 'appStore' },
  { path: '/custom-commands', label: 'customCommands' },
]
const TICKETS: MenuEntry = { path: '/tickets', label: 'tickets' }
const SUPER_ADMIN: readonly MenuEntry[] = [
  { path: '/company-management', label: 'companyManagement' },
  { path: '/template-manager', label: 'templateManager' },
]
const BOTTOM: readonly MenuEntry[] = [
  { path: '/system-license', label: 'systemLicense' },
  { path: '/settings', label: 'settings' },
]

export interface Menu {
  main: readonly MenuEntry[]
  bottom: readonly MenuEntry[]
}

/** `maySeeTickets` is the separate permission the other roles need for Tickets. */
export function menuFor(role: Role, maySeeTickets: boolean): Menu {
  if (role === 'Standard') return { main: [TICKETS], bottom: [] }
  if (role === 'Super Admin') return { main: [...GENERAL, TICKETS, ...SUPER_ADMIN], bottom: BOTTOM }
  return { main: maySeeTickets ? [...GENERAL, TICKETS] : GENERAL, bottom: BOTTOM }
}
