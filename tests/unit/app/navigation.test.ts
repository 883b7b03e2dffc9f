import { beforeAll, describe, expect, it } from 'vitest'
import type { Can } from '@/access/policy'
import {
  ariaCurrent,
  denialOf,
  entryOf,
  groupEntries,
  homePath,
  navigationOf,
  redirectFrom,
  tabsOver,
} from '@/app/navigation'
import type { Section } from '@/app/pages'
import { consolePages, findPage } from '@/app/registry'
import { permissionsOf } from '../../support/permissions'

const GENERAL = [
  '/',
  '/devices',
  '/agents',
  '/procedures',
  '/monitors',
  '/automation',
  '/patch-management',
  '/software-licenses',
  '/software-inventory',
  '/app-store',
  '/custom-commands',
]
/** The roles of the specification. */
const ROLES = ['Super Admin', 'Admin', 'Teknik', 'Standard'] as const
type Role = (typeof ROLES)[number]

let permissions: Record<Role, Can>
beforeAll(async () => {
  const each = ROLES.map(async (role) => [role, await permissionsOf(role)] as const)
  permissions = Object.fromEntries(await Promise.all(each)) as Record<Role, Can>
})

const entries = (can: Can, section: Section) =>
  navigationOf(can)
    .filter(({ root }) => root.section === section)
    .map(({ tabs }) => tabs[0].path)
const rows = (pathname: string, role: Role) =>
  tabsOver(pathname, permissions[role]).map(({ tabs, current }) => ({
    tabs: tabs.map(({ path }) => path),
    current: current.path,
  }))
const tabs = (pathname: string, role: Role) => rows(pathname, role).at(-1)?.tabs ?? []

describe('the menu', () => {
  it('shows a Super Admin everything, in the order of the specification', () => {
    const can = permissions['Super Admin']
    expect(entries(can, 'main')).toEqual([...GENERAL, '/tickets', '/company-management', '/template-manager'])
    expect(entries(can, 'bottom')).toEqual(['/system-license', '/settings'])
  })

  it.each(['Admin', 'Teknik'] as const)('shows %s tickets with the permission only', async (role) => {
    expect(entries(permissions[role], 'main')).toEqual([...GENERAL, '/tickets'])
    expect(entries(permissions[role], 'bottom')).toEqual(['/system-license', '/settings'])
    const without = await permissionsOf(role, { without: ['p', role, 'tickets', 'list', 'allow'] })
    expect(entries(without, 'main')).not.toContain('/tickets')
  })

  it('shows a Standard user tickets alone', () => {
    expect(navigationOf(permissions.Standard).map(({ tabs: [first] }) => first.path)).toEqual(['/tickets'])
  })

  it('keeps what only the license closes, and leads to the next tab where a role may not open the first', async () => {
    const withoutPro = await permissionsOf('Admin', { license: ['without-pro'] })
    expect(entries(withoutPro, 'main')).toEqual([...GENERAL, '/tickets'])
    const can = await permissionsOf('Teknik', { without: ['p', 'Teknik', 'devices', 'list', 'allow'] })
    expect(entries(can, 'main').slice(0, 3)).toEqual(['/', '/groups', '/agents'])
  })

  it('has an icon for each entry that the first page shows', () => {
    const shown = consolePages().filter(({ section, parent }) => parent === null && section !== 'added')
    expect(shown.filter(({ icon }) => icon === null)).toEqual([])
  })
})

describe('the entry of an address', () => {
  it.each([
    ['/', 'dashboard'],
    ['/dashboard', 'dashboard'],
    ['/devices', 'devices'],
    ['/devices/42', 'devices'],
    ['/automation/42/pcs', 'automations'],
    ['/create-monitor', 'monitors'],
    ['/notifications', 'notifications'],
    ['/groups', 'devices'],
    ['/policies', 'devices'],
    ['/enrollment-tokens', 'agents'],
    ['/alerts/42', 'monitors'],
    ['/patches', 'device_patches'],
    ['/software', 'device_software'],
    ['/corporate-apps/42/edit', 'device_software'],
    ['/tasks', 'custom-commands'],
    ['/runs/42', 'custom-commands'],
    ['/create-scheduled-task', 'custom-commands'],
    ['/ticket-settings', 'tickets'],
    ['/categories/42', 'tickets'],
    ['/issues', 'tickets'],
    ['/create-user', 'settings'],
    ['/audit-log', 'settings'],
    ['/failed-login-attempts', 'settings'],
    ['/nothing', null],
  ])('%s is %s', (path, entry) => {
    expect(entryOf(path)).toBe(entry)
  })

  it('is the current page, or the section that the page belongs to', () => {
    const [devices] = navigationOf(permissions.Admin).filter(({ root }) => root.name === 'devices')
    if (!devices) throw new Error('no entry')
    expect(ariaCurrent(devices, '/devices')).toBe('page')
    expect(ariaCurrent(devices, '/devices/42')).toBe('true')
    expect(ariaCurrent(devices, '/groups')).toBe('true')
    expect(ariaCurrent(devices, '/tickets')).toBeUndefined()
  })
})

describe('a page that is not the user’s', () => {
  it('leads a Standard user to the tickets, whichever it is', () => {
    const can = permissions.Standard
    expect(homePath(can)).toBe('/tickets')
    const addresses = consolePages().flatMap(({ routes, alias }) => [
      ...routes.map(({ path }) => path.replace(':id', '42')),
      ...(alias === null ? [] : [alias]),
    ])
    for (const path of addresses)
      expect(redirectFrom(path, can), path).toBe(path.startsWith('/tickets') ? null : '/tickets')
    expect(redirectFrom('/tickets/create-ticket', can)).toBeNull()
  })

  it.each(['/company-management', '/company-management/42', '/create-company', '/template-manager'])(
    '%s leads everybody but a Super Admin to the dashboard',
    (path) => {
      expect(redirectFrom(path, permissions['Super Admin'])).toBeNull()
      expect(redirectFrom(path, permissions.Admin)).toBe('/')
      expect(redirectFrom(path, permissions.Teknik)).toBe('/')
    },
  )

  it.each(['/users', '/create-user', '/enrollment-tokens', '/security-log', '/failed-login-attempts'])(
    '%s is denied to Teknik in its place',
    (path) => {
      expect(denialOf(findPage(path)?.page ?? { objects: [] }, permissions.Teknik)).not.toBeNull()
      expect(redirectFrom(path, permissions.Teknik)).toBeNull()
    },
  )

  it('that holds failed sign-ins is denied to an Admin in its place', () => {
    const path = '/failed-login-attempts'
    expect(denialOf(findPage(path)?.page ?? { objects: [] }, permissions.Admin)).not.toBeNull()
    expect(redirectFrom(path, permissions.Admin)).toBeNull()
  })

  it('leads everybody without the dashboard’s line to their first page, whatever their role', async () => {
    const can = await permissionsOf('Teknik', { without: ['p', 'Teknik', 'dashboard', 'list', 'allow'] })
    expect(redirectFrom('/', can)).toBe('/devices')
    expect(redirectFrom('/security-log', can)).toBe('/devices')
    expect(redirectFrom('/devices', can)).toBeNull()
  })

  it('stays where it is when only the license closes it', async () => {
    const can = await permissionsOf('Admin', { license: ['without-pro', 'read-only'] })
    for (const path of ['/automation', '/patch-management', '/create-group', '/settings'])
      expect(redirectFrom(path, can), path).toBeNull()
  })

  it('leads nowhere for somebody without any page', () => {
    expect(redirectFrom('/devices', () => ({ allowed: false, reason: 'role' }))).toBeNull()
  })
})

describe('the tabs over a list', () => {
  it('have a second row below a tab that has tabs of its own', () => {
    const settings = [
      '/ticket-settings',
      '/ticket-statuses',
      '/categories',
      '/issues',
      '/sla-policies',
      '/business-hours',
      '/canned-replies',
      '/assignment-rules',
      '/closing-and-reopening',
      '/mail-addresses',
      '/inbound-mails',
    ]
    expect(rows('/sla-policies', 'Admin')).toEqual([
      {
        tabs: ['/tickets', '/tickets/articles', '/time', '/tickets/approvals', '/ticket-settings'],
        current: '/ticket-settings',
      },
      { tabs: settings, current: '/sla-policies' },
    ])
    expect(rows('/ticket-settings', 'Admin').at(-1)).toEqual({ tabs: settings, current: '/ticket-settings' })
  })

  it('are the lists beside it that the user may open', () => {
    expect(tabs('/groups', 'Admin')).toEqual(['/devices', '/groups', '/policies', '/tags'])
    expect(tabs('/software', 'Teknik')).toEqual([
      '/software-inventory',
      '/software',
      '/corporate-apps',
      '/software-changes',
    ])
    expect(tabs('/tasks', 'Admin')).toEqual([
      '/custom-commands',
      '/tasks',
      '/runs',
      '/scheduled-tasks',
      '/saved-commands',
    ])
    expect(tabs('/tickets', 'Admin')).toEqual([
      '/tickets',
      '/tickets/articles',
      '/time',
      '/tickets/approvals',
      '/ticket-settings',
    ])
    expect(tabs('/agents', 'Admin')).toEqual(['/agents', '/enrollment-tokens', '/enrollment-requests'])
    expect(tabs('/agents', 'Teknik')).toEqual([])
    expect(tabs('/settings', 'Super Admin')).toEqual([
      '/settings',
      '/users',
      '/audit-log',
      '/security-log',
      '/failed-login-attempts',
      '/remote-links',
    ])
    expect(tabs('/settings', 'Admin')).toEqual([
      '/settings',
      '/users',
      '/audit-log',
      '/security-log',
      '/remote-links',
    ])
    expect(tabs('/settings', 'Teknik')).toEqual(['/settings', '/audit-log', '/remote-links'])
    expect(tabs('/monitors', 'Teknik')).toEqual(['/monitors', '/alerts', '/monitor-states'])
    expect(tabs('/automation', 'Teknik')).toEqual(['/automation', '/automation-runs'])
    expect(tabs('/patches', 'Teknik')).toEqual(['/patch-management', '/patches', '/patch-exceptions'])
    expect(tabs('/tickets', 'Standard')).toEqual(['/tickets', '/tickets/articles', '/tickets/approvals'])
  })

  it('are not shown over a record, nor over a list that has none beside it', () => {
    expect(tabs('/devices/42', 'Admin')).toEqual([])
    expect(tabs('/procedures', 'Admin')).toEqual([])
  })
})

describe('the menu’s added entries', () => {
  it('are listed by group, those without one first', () => {
    const groupOf = (name: string) => ({ printers: 'assets', racks: 'places', rooms: 'assets' })[name] ?? null
    expect(groupEntries(['printers', 'scans', 'racks', 'rooms'], groupOf)).toEqual([
      { group: null, members: ['scans'] },
      { group: 'assets', members: ['printers', 'rooms'] },
      { group: 'places', members: ['racks'] },
    ])
  })

  it('are one list where none names a group, and nothing where there are none', () => {
    expect(groupEntries(['printers', 'scans'], () => null)).toHaveLength(1)
    expect(groupEntries([], () => 'assets')).toEqual([])
  })
})
