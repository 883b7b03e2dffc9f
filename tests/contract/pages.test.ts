import { beforeAll, describe, expect, it } from 'vitest'
import type { Can, Verdict } from '@/access/policy'
import { denialOf, navigationOf, tabsOver, usableForms, usablePages, usableViews } from '@/app/navigation'
import { consolePages } from '@/app/registry'
import { readPolicies, rolesOf } from '../../scripts/policies/lines'
import { permissionsOf } from '../support/permissions'

const LINES = readPolicies(new URL('../..', import.meta.url).pathname)
const ROLES = rolesOf(LINES)
const OBJECTS = [...new Set(consolePages().flatMap(({ objects }) => objects))].sort()
const OUT_OF_ROLE: Verdict = { allowed: false, reason: 'role' }

let permissions: Map<string, Can>
beforeAll(async () => {
  const each = ROLES.map(async (role) => [role, await permissionsOf(role)] as const)
  permissions = new Map(await Promise.all(each))
})

/** Every trace of a page in the console: entry or tab in the menu, tabs over its list, commands, routes. */
function traces(name: string, can: Can): string[] {
  const page = consolePages().find((each) => each.name === name)
  if (!page) return ['no page']
  const paths = page.routes.map(({ path }) => path.replace(':id', '42'))
  const under = (path: string) => path === page.path || paths.includes(path)
  return [
    ...navigationOf(can).flatMap(({ tabs }) =>
      tabs.filter((tab) => tab.name === name).map(() => 'entry or tab'),
    ),
    ...(page.path && tabsOver(page.path, can).length > 0 ? ['tabs over it'] : []),
    ...usablePages(can).flatMap((each) => (each.name === name ? ['command'] : [])),
    ...usableViews(can).flatMap(({ path }) => (under(path) ? ['view'] : [])),
    ...usableForms(can).flatMap(({ resource }) => (resource === name ? ['form'] : [])),
    ...(denialOf(page, can) === null ? paths : []),
  ]
}

describe('a permission object without its `list` line', () => {
  it.each(OBJECTS)('%s: its pages have no entry, tab, command or route', (object) => {
    for (const [role, can] of permissions) {
      const without: Can = (asked, verb) =>
        asked === object && verb === 'list' ? OUT_OF_ROLE : can(asked, verb)
      const pages = consolePages().filter(({ path, objects }) => path !== null && objects.includes(object))
      for (const page of pages) {
        const place = `${role} ${page.name}`
        if (denialOf(page, can) === null) expect(traces(page.name, can), place).toContain('command')
        expect(traces(page.name, without), place).toEqual([])
      }
    }
  })

  it('is what taking the line out of policies/ makes of it', async () => {
    const line = LINES.map(({ cells }) => cells).find(
      ([, role, object, verb]) => `${role} ${object} ${verb}` === 'Teknik monitors list',
    )
    if (!line) throw new Error('policies/teknik.csv has no such line')
    expect(traces('monitors', await permissionsOf('Teknik'))).toEqual(
      expect.arrayContaining(['entry or tab', 'command', 'view', 'form', '/monitors', '/monitors/42']),
    )
    expect(traces('monitors', await permissionsOf('Teknik', { without: line }))).toEqual([])
  })
})
