import { describe, expect, it } from 'vitest'
import { documentTitle } from '@/app/document-title'
import { isPrivatePath, PRIVATE_PATHS } from '@/app/paths'
import { titleKey } from '@/app/titles'
import en from '../../../locales/en/shell.json'

const words = (path: string): string => {
  const key = titleKey(path)
  return key === 'product' ? 'Konsol' : en.titles[key]
}

describe('the top bar’s title', () => {
  it.each([
    ['/', 'Dashboard'],
    ['/devices', 'Devices'],
    ['/procedures', 'Scripts'],
    ['/monitors', 'Monitors'],
    ['/automation', 'Automation'],
    ['/patch-management', 'Patch Management'],
    ['/software', 'Software'],
    ['/software-inventory', 'Software Inventory'],
    ['/software-licenses', 'Software Licenses'],
    ['/app-store', 'App Store'],
    ['/corporate-apps', 'Corporate Apps'],
    ['/custom-commands', 'Custom Commands'],
    ['/tasks', 'Tasks'],
    ['/runs', 'Runs'],
    ['/scheduled-tasks', 'Scheduled Tasks'],
    ['/template-manager', 'Template Manager'],
    ['/agents', 'Agents'],
    ['/groups', 'Groups'],
    ['/policies', 'Policies'],
    ['/users', 'Users'],
    ['/company-management', 'Company Management'],
    ['/settings', 'Settings'],
    ['/system-license', 'System License'],
    ['/notifications', 'Notifications'],
    ['/tickets', 'Tickets'],
    ['/ticket-settings', 'Ticket Settings'],
  ])('of %s is %s', (path, title) => {
    expect(words(path)).toBe(title)
  })

  it.each([
    ['/devices/42', 'Device Details'],
    ['/monitors/42', 'Monitor Details'],
    ['/procedures/42', 'Script Details'],
    ['/automation/42', 'Automation Details'],
    ['/automation/42/pcs', 'Automation Details'],
    ['/tickets/42', 'Ticket Details'],
    ['/create-monitor', 'Create'],
    ['/create-procedure', 'Create'],
    ['/create-printer', 'Create'],
    ['/tickets/create-ticket', 'Create'],
  ])('of %s is %s', (path, title) => {
    expect(words(path)).toBe(title)
  })

  it.each(['/dashboard', '/categories/1', '/issues/1', '/groups/1'])(
    'of %s is the product’s name',
    (path) => {
      expect(words(path)).toBe('Konsol')
    },
  )

  it('is the same with a slash at the end, and is no property of every object', () => {
    expect(words('/devices/')).toBe('Devices')
    expect(words('constructor')).toBe('Konsol')
  })

  it('stands in the document’s title with the product', () => {
    expect(documentTitle('Devices')).toBe('Devices · Konsol')
    expect(documentTitle('Konsol')).toBe('Konsol')
  })
})

describe('the private pages', () => {
  it('are the specification’s', () => {
    expect(PRIVATE_PATHS).toHaveLength(38)
    expect(isPrivatePath('/automation/1/procedures')).toBe(true)
  })

  it('leave every other address to the 404 page, but for what definitions add', () => {
    expect(isPrivatePath('/nothing')).toBe(false)
    expect(isPrivatePath('/devices/1/2/3')).toBe(false)
    expect(isPrivatePath('/printers', ['/printers'])).toBe(true)
  })
})
