/** Word for word the paths the top bar has a title for; the values are keys of `shell:titles`. */
const TITLES = {
  '/': 'dashboard',
  '/devices': 'devices',
  '/procedures': 'procedures',
  '/monitors': 'monitors',
  '/automation': 'automation',
  '/patch-management': 'patchManagement',
  '/software': 'software',
  '/software-inventory': 'softwareInventory',
  '/software-licenses': 'softwareLicenses',
  '/app-store': 'appStore',
  '/corporate-apps': 'corporateApps',
  '/custom-commands': 'customCommands',
  '/tasks': 'tasks',
  '/runs': 'runs',
  '/scheduled-tasks': 'scheduledTasks',
  '/template-manager': 'templateManager',
  '/agents': 'agents',
  '/groups': 'groups',
  '/policies': 'policies',
  '/users': 'users',
  '/company-management': 'companyManagement',
  '/settings': 'settings',
  '/system-license': 'systemLicense',
  '/notifications': 'notifications',
  '/tickets': 'tickets',
  '/ticket-settings': 'ticketSettings',
  '/categories': 'ticketCategories',
  '/issues': 'ticketIssues',
  '/alerts': 'alerts',
  '/patches': 'patches',
  '/enrollment-tokens': 'enrollmentTokens',
  '/enrollment-requests': 'enrollmentRequests',
  '/audit-log': 'auditLog',
  '/failed-login-attempts': 'failedSignIns',
  '/security-log': 'securityLog',
} as const

const DETAILS = [
  ['/devices/', 'deviceDetails'],
  ['/monitors/', 'monitorDetails'],
  ['/procedures/', 'scriptDetails'],
  ['/automation/', 'automationDetails'],
  ['/tickets/', 'ticketDetails'],
] as const

export type TitleKey =
  | (typeof TITLES)[keyof typeof TITLES]
  | (typeof DETAILS)[number][1]
  | 'create'
  /** The product's name: what a page without a title of its own shows. */
  | 'product'

function isTitled(path: string): path is keyof typeof TITLES {
  return Object.hasOwn(TITLES, path)
}

export function titleKey(pathname: string): TitleKey {
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname
  if (isTitled(path)) return TITLES[path]
  const details = DETAILS.find(([prefix]) => path.startsWith(prefix) && !path.startsWith(`${prefix}create-`))
  if (details) return details[1]
  return path.includes('create-') ? 'create' : 'product'
}
