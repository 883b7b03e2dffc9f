import { describe, expect, it } from 'vitest'
import { routesOf } from '@/app/definition-routes'
import { navigationOf } from '@/app/navigation'
import type { HandWrittenPage } from '@/app/pages'
import { isPrivatePath } from '@/app/private-paths'
import { consolePages, findPage, pagesFrom } from '@/app/registry'
import { parseEntry, type ResourceEntry } from '@/resource/language/entry'

function entry(definition: Record<string, unknown>): ResourceEntry {
  return parseEntry(`resources/${definition.name}.json`, JSON.stringify({ fields: {}, ...definition }))
}

const paths = (definition: Record<string, unknown>) => routesOf(entry(definition)).map(({ path }) => path)

const handWritten = (page: Partial<HandWrittenPage>): HandWrittenPage => ({
  name: 'reports',
  path: '/reports',
  label: 'settings',
  icon: 'book',
  object: 'reports',
  component: () => null,
  ...page,
})

/** Every private address of the specification. */
const SPECIFIED = [
  '/',
  '/dashboard',
  '/devices',
  '/devices/42',
  '/tickets',
  '/tickets/42',
  '/ticket-settings',
  '/automation',
  '/automation/42',
  '/automation/42/monitors',
  '/automation/42/pcs',
  '/automation/42/procedures',
  '/monitors',
  '/monitors/42',
  '/create-monitor',
  '/procedures',
  '/procedures/42',
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
  '/categories/42',
  '/issues/42',
  '/settings',
  '/system-license',
  '/notifications',
]

describe('the pages of a definition', () => {
  it('are list, create, record and edit', () => {
    expect(paths({ name: 'printers' })).toEqual([
      '/printers',
      '/create-printer',
      '/printers/:id',
      '/printers/:id/edit',
    ])
  })

  it('leave out what the definition does without', () => {
    expect(paths({ name: 'printers', form: false })).toEqual(['/printers', '/printers/:id'])
    expect(paths({ name: 'companies', list: false, show: false, form: false })).toEqual([])
  })

  it('are one more for each tab of a record that has an address of its own', () => {
    const show = { tab_urls: true, tabs: { pcs: { sections: { main: [] } } } }
    expect(paths({ name: 'bundles', form: false, show })).toEqual([
      '/bundles',
      '/bundles/:id/pcs',
      '/bundles/:id',
    ])
    expect(paths({ name: 'bundles', form: false, show: { ...show, tab_urls: false } })).toEqual([
      '/bundles',
      '/bundles/:id',
    ])
  })

  it('are one page that says what is wrong, for a file that is no definition', () => {
    expect(routesOf(parseEntry('resources/my_printers.json', '{'))).toEqual([
      { path: '/my-printers', screen: 'list' },
    ])
  })
})

describe('the one list of pages', () => {
  const sections = (entries: ResourceEntry[], pages: HandWrittenPage[] = []) =>
    navigationOf(() => ({ allowed: true }), pagesFrom(entries, pages)).map(({ root, tabs }) => [
      root.section,
      ...tabs.map(({ name }) => name),
    ])

  it('is ordered by section, position and name, each entry followed by its tabs', () => {
    const entries = [
      entry({ name: 'alerts', parent: 'monitors', position: 2 }),
      entry({ name: 'logs', section: 'bottom' }),
      entry({ name: 'monitors', section: 'main', position: 2 }),
      entry({ name: 'printers' }),
      entry({ name: 'x', list: false }),
    ]
    const pages = [
      handWritten({ parent: 'monitors', position: 1 }),
      handWritten({ name: 'start', path: '/', section: 'main', position: 1 }),
    ]
    expect(sections(entries, pages)).toEqual([
      ['main', 'start'],
      ['main', 'monitors', 'reports', 'alerts'],
      ['added', 'printers'],
      ['bottom', 'logs'],
    ])
  })

  it('shows a tab of a page that does not exist as an entry', () => {
    expect(sections([entry({ name: 'alerts', parent: 'gone' })])).toEqual([['added', 'alerts']])
  })

  it('puts a definition in the place of a planned page at its path, tabs included', () => {
    const pages = [
      handWritten({ section: 'bottom', alias: '/all-reports', isPlanned: true }),
      handWritten({ name: 'inner', path: '/inner', parent: 'reports' }),
    ]
    const entries = [entry({ name: 'monthly', route: 'reports' })]
    expect(sections(entries, pages)).toEqual([['bottom', 'monthly', 'inner']])
    expect(findPage('/all-reports', pagesFrom(entries, pages))?.page.name).toBe('monthly')
  })

  it('keeps a page of the console, whatever a definition says', () => {
    const pages = [handWritten({ alias: '/all-reports' })]
    for (const route of ['reports', 'all-reports']) {
      const found = pagesFrom([entry({ name: 'monthly', route })], pages)
      expect(findPage(`/${route}`, found)?.page.name).toBe('reports')
      expect(findPage('/create-monthly', found)?.page.name).toBe('monthly')
    }
  })

  it('has each name and each address once', () => {
    const pages = consolePages()
    const addresses = pages.flatMap(({ routes }) => routes.map(({ path }) => path))
    expect(new Set(addresses).size).toBe(addresses.length)
    expect(new Set(pages.map(({ name }) => name)).size).toBe(pages.length)
  })

  it('finds a form before the record whose address it would also be', () => {
    expect(findPage('/tickets/create-ticket')).toMatchObject({ page: { name: 'tickets' }, screen: 'create' })
    expect(findPage('/tickets/42/')).toMatchObject({ screen: 'show', id: '42' })
    expect(findPage('/dashboard')).toMatchObject({ page: { name: 'dashboard' }, isAlias: true })
    expect(findPage('/nothing')).toBeNull()
  })
})

describe('the private addresses', () => {
  it.each(SPECIFIED)('of the specification: %s', (path) => {
    expect(isPrivatePath(path)).toBe(true)
    expect(findPage(path)).not.toBeNull()
  })

  it('are those of the pages, and no others', () => {
    for (const { routes } of consolePages())
      for (const { path } of routes) expect(isPrivatePath(path.replace(':id', '42')), path).toBe(true)
    for (const path of ['/nothing', '/devices/1/2/3', '/login']) expect(isPrivatePath(path)).toBe(false)
  })
})
