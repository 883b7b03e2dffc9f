import { describe, expect, it } from 'vitest'
import { activeEntry, ariaCurrent } from '@/app/active-entry'
import { redirectFor } from '@/app/guards'
import { menuFor } from '@/app/menu'
import { neighboursOf } from '@/app/neighbours'
import { PRIVATE_PATHS } from '@/app/paths'
import { resourcePages } from '@/app/resource-routes'

const paths = (entries: readonly { path: string }[]) => entries.map((entry) => entry.path)

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

describe('the sidebar', () => {
  it('shows a Super Admin everything, in the specification’s order', () => {
    const menu = menuFor('Super Admin', false)
    expect(paths(menu.main)).toEqual([...GENERAL, '/tickets', '/company-management', '/template-manager'])
    expect(paths(menu.bottom)).toEqual(['/system-license', '/settings'])
  })

  it.each(['Admin', 'Teknik'] as const)('shows %s Tickets only with the permission', (role) => {
    expect(paths(menuFor(role, true).main)).toEqual([...GENERAL, '/tickets'])
    expect(paths(menuFor(role, false).main)).toEqual(GENERAL)
    expect(paths(menuFor(role, false).bottom)).toEqual(['/system-license', '/settings'])
  })

  it('shows a Standard user Tickets alone', () => {
    expect(paths(menuFor('Standard', true).main)).toEqual(['/tickets'])
    expect(menuFor('Standard', true).bottom).toEqual([])
  })

  it('highlights / for the dashboard alone and the others with what lies under them', () => {
    expect(activeEntry('/')).toBe('/')
    expect(activeEntry('/dashboard')).toBe('/')
    expect(activeEntry('/devices')).toBe('/devices')
    expect(activeEntry('/devices/42')).toBe('/devices')
    expect(activeEntry('/automation/42/pcs')).toBe('/automation')
    expect(activeEntry('/create-monitor')).toBe('/monitors')
    expect(activeEntry('/notifications')).toBe('/notifications')
  })

  it.each([
    ['/groups', '/devices'],
    ['/policies', '/devices'],
    ['/enrollment-tokens', '/agents'],
    ['/alerts', '/monitors'],
    ['/patches', '/patch-management'],
    ['/software', '/software-inventory'],
    ['/corporate-apps', '/software-inventory'],
    ['/tasks', '/custom-commands'],
    ['/runs', '/custom-commands'],
    ['/scheduled-tasks', '/custom-commands'],
    ['/ticket-settings', '/tickets'],
    ['/categories', '/tickets'],
    ['/issues', '/tickets'],
    ['/users', '/settings'],
    ['/audit-log', '/settings'],
    ['/failed-login-attempts', '/settings'],
  ])('highlights for %s, its records and its form the entry %s', (list, entry) => {
    expect(activeEntry(list)).toBe(entry)
    const pages = resourcePages().filter(({ path }) => path === list || path.startsWith(`${list}/`))
    for (const { path } of pages) expect(activeEntry(path.replace(':id', '42')), path).toBe(entry)
    const resource = pages[0]?.resource
    const form = resourcePages().find((page) => page.resource === resource && page.screen === 'create')
    if (resource && form) expect(activeEntry(form.path)).toBe(entry)
  })

  it('tells the current page from the section it belongs to', () => {
    expect(ariaCurrent('/devices', '/devices')).toBe('page')
    expect(ariaCurrent('/devices', '/devices/42')).toBe('true')
    expect(ariaCurrent('/devices', '/groups')).toBe('true')
    expect(ariaCurrent('/devices', '/tickets')).toBeUndefined()
  })
})

describe('the guards', () => {
  it('send a Standard user to the tickets from every other private page', () => {
    for (const path of PRIVATE_PATHS) {
      const expected = path.startsWith('/tickets') ? null : '/tickets'
      expect(redirectFor('Standard', path)).toBe(expected)
    }
    expect(redirectFor('Standard', '/tickets/42')).toBeNull()
  })

  it('let a Standard user open a ticket, and nothing else that is created', () => {
    expect(redirectFor('Standard', '/tickets/create-ticket')).toBeNull()
    expect(redirectFor('Standard', '/create-ticket')).toBe('/tickets')
    expect(redirectFor('Standard', '/create-monitor')).toBe('/tickets')
  })

  it('keep company management and templates for Super Admins', () => {
    for (const path of [
      '/company-management',
      '/create-company',
      '/failed-login-attempts',
      '/template-manager',
    ]) {
      expect(redirectFor('Super Admin', path)).toBeNull()
      expect(redirectFor('Admin', path)).toBe('/')
      expect(redirectFor('Teknik', path)).toBe('/')
    }
  })

  it('keep users for the two kinds of administrator', () => {
    expect(redirectFor('Super Admin', '/users')).toBeNull()
    expect(redirectFor('Admin', '/users')).toBeNull()
    expect(redirectFor('Teknik', '/users')).toBe('/')
  })

  it('leave everything else to the permissions', () => {
    expect(redirectFor('Teknik', '/settings')).toBeNull()
    expect(redirectFor('Teknik', '/system-license')).toBeNull()
    expect(redirectFor('Admin', '/users-and-more')).toBeNull()
  })
})

describe('the tabs of neighbouring lists', () => {
  it('stand over lists, each with its own address', () => {
    expect(paths(neighboursOf('/groups', 'Admin'))).toEqual(['/devices', '/groups', '/policies'])
    expect(paths(neighboursOf('/software', 'Teknik'))).toEqual([
      '/software-inventory',
      '/software',
      '/corporate-apps',
    ])
    expect(paths(neighboursOf('/tasks', 'Admin'))).toEqual([
      '/custom-commands',
      '/tasks',
      '/runs',
      '/scheduled-tasks',
    ])
    expect(paths(neighboursOf('/tickets', 'Admin'))).toEqual([
      '/tickets',
      '/ticket-settings',
      '/categories',
      '/issues',
    ])
    expect(paths(neighboursOf('/agents', 'Admin'))).toEqual([
      '/agents',
      '/enrollment-tokens',
      '/enrollment-requests',
    ])
    expect(neighboursOf('/agents', 'Teknik')).toEqual([])
    expect(paths(neighboursOf('/settings', 'Admin'))).toEqual([
      '/settings',
      '/users',
      '/audit-log',
      '/security-log',
    ])
    expect(paths(neighboursOf('/settings', 'Teknik'))).toEqual(['/settings', '/audit-log'])
    expect(paths(neighboursOf('/monitors', 'Teknik'))).toEqual(['/monitors', '/alerts'])
  })

  it('show nobody a tab whose page would send them away', () => {
    expect(neighboursOf('/tickets', 'Standard')).toEqual([])
    expect(paths(neighboursOf('/failed-login-attempts', 'Admin'))).not.toContain('/failed-login-attempts')
  })

  it('stand over no record and no list that stands alone', () => {
    expect(neighboursOf('/devices/42', 'Admin')).toEqual([])
    expect(neighboursOf('/automation', 'Admin')).toEqual([])
  })
})
