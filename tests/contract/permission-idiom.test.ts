import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => ({ file: `src/${file}`, text: readFileSync(`src/${file}`, 'utf8') }))

/** The names that a file imports from a module, without `type`. */
function importsFrom(text: string, module: string): string[] {
  const statements = text.matchAll(/import (?:type )?\{([^}]*)\} from '([^']+)'/g)
  return [...statements]
    .filter(([, , from]) => from === module)
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim().replace(/^type /, '')))
}

const usersOf = (module: string, names: readonly string[], isAllowed = (_file: string) => false) =>
  SOURCES.filter(({ file, text }) => {
    const imported = importsFrom(text, module)
    return !isAllowed(file) && names.some((name) => imported.includes(name))
  }).map(({ file }) => file)

describe('a component asks for a permission by useCan, <CanAccess> or <GuardedButton>', () => {
  it('Refine keeps one hook per question as a query, so the console asks by its own useCan', () => {
    expect(usersOf('@refinedev/core', ['useCan', 'useCanWithoutCache', 'usePermissions'])).toEqual([])
  })

  it('the buttons of Refine, which say no reason, are not used', () => {
    const buttons = ['Create', 'Edit', 'Show', 'List', 'Delete', 'Clone', 'Import', 'Export', 'Save']
    expect(
      usersOf(
        '@refinedev/antd',
        buttons.map((name) => `${name}Button`),
      ),
    ).toEqual([])
  })

  it('the map of permissions and its state are read in src/access, and by the page that waits for them', () => {
    const isAccess = (file: string) => file.startsWith('src/access/')
    expect(usersOf('@/access/use-can', ['AccessContext'], isAccess)).toEqual([])
    expect(usersOf('@/access/use-can', ['useAccessState'], isAccess)).toEqual(['src/app/private-app.tsx'])
    expect(usersOf('@/access/permission-map', ['PermissionMap', 'NOTHING_ALLOWED'], isAccess)).toEqual([])
  })

  it('src/access exports no further hook, component or button that asks', () => {
    const exported = SOURCES.filter(({ file }) => file.startsWith('src/access/')).flatMap(({ text }) =>
      [...text.matchAll(/^export (?:const|function) (use\w+|[A-Z][a-z]\w+)/gm)].map(([, name]) => name),
    )
    expect(exported.toSorted()).toEqual([
      'AccessContext',
      'AccessProvider',
      'GuardedButton',
      'RequireAccess',
      'useAccessState',
      'useAllRoles',
      'useCan',
      'useDenialText',
      // Which of two requests reads the same rows: it decides nothing.
      'useIsLimited',
      'usePermissionMap',
    ])
  })
})
