import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { inspectPages, inspectPlace, type PageContext } from '../../../scripts/resource/check-pages'
import { PAGES_FILE, parsePages, readPages } from '../../../scripts/resource/pages'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const definition = (more: Partial<Definition>): Definition => ({
  name: 'printers',
  fields: { serial: { type: 'text' } },
  ...more,
})

const context = (text: string, definitions: Definition[] = []): PageContext => ({
  pages: parsePages(text),
  definitions,
  objects: new Set(['settings', 'devices']),
  broken: new Set(),
  icons: ['setting', 'laptop'],
  titles: { en: ['settings'], tr: ['settings'] },
})

const PAGE = `  {
    name: 'settings',
    path: '/settings',
    label: 'settings',
    icon: 'setting',
    object: 'settings',
    component: Settings,
  },
`
const file = (...entries: string[]) =>
  `import x from 'y'\n\nexport const PAGES: readonly Page[] = [\n${entries.join('')}]\n`
const problems = (text: string, definitions?: Definition[]) =>
  inspectPages(context(text, definitions)).map(
    ({ line, message, hint }) => `${line} ${message}${hint ? ` ${hint}` : ''}`,
  )

describe('src/app/pages.tsx', () => {
  it('is read without being run', () => {
    const pages = readPages(root)
    expect(pages.map(({ values }) => values.path)).toContain('/system-license')
    const line = readFileSync(join(root, PAGES_FILE), 'utf8').split('\n')[(pages[0]?.lines.path ?? 0) - 1]
    expect(line).toContain("path: '/'")
  })

  it('without a mistake has no problem', () => {
    expect(problems(file(PAGE))).toEqual([])
  })

  it.each([
    ['no icon', PAGE.replace("    icon: 'setting',\n", ''), '4 the page `settings` has no `icon`'],
    ['no object', PAGE.replace("    object: 'settings',\n", ''), '4 the page `settings` has no `object`'],
    ['no label', PAGE.replace("    label: 'settings',\n", ''), '4 the page `settings` has no `label`'],
    [
      'an unknown icon',
      PAGE.replace("icon: 'setting'", "icon: 'settin'"),
      '8 no icon `settin` Did you mean `setting`?',
    ],
    [
      'an unknown object',
      PAGE.replace("object: 'settings'", "object: 'setings'"),
      '9 no permission object `setings` Did you mean `settings`?',
    ],
    [
      'an unknown parent',
      PAGE.replace("    icon: 'setting',", "    icon: 'setting',\n    parent: 'setings',"),
      '9 no page or resource `setings` to be a tab of Did you mean `settings`?',
    ],
    [
      'itself as its parent',
      PAGE.replace("    icon: 'setting',", "    icon: 'setting',\n    parent: 'settings',"),
      '9 `settings` cannot be a tab of itself Remove `parent`.',
    ],
  ])('with %s is told by line', (_what, page, problem) => {
    expect(problems(file(page))).toEqual([problem])
  })

  it.each([
    ['as const', file(PAGE).replace(']\n', '] as const\n')],
    ['satisfies', file(PAGE).replace(']\n', '] as const satisfies readonly Page[]\n')],
    ['a quoted key', file(PAGE.replace('icon:', "'icon':"))],
  ])('is read as TypeScript writes it: %s', (_what, text) => {
    expect(parsePages(text).map(({ values }) => values.icon)).toEqual(['setting'])
    expect(problems(text)).toEqual([])
  })

  it('without words is told in each language that lacks them', () => {
    const found = inspectPages({ ...context(file(PAGE)), titles: { en: ['settings'], tr: [] } })
    expect(found).toEqual([
      {
        file: PAGES_FILE,
        line: 7,
        message: 'no Turkish word for the page `settings`',
        hint: 'Add `titles.settings` to locales/tr/shell.json.',
      },
    ])
  })

  it('names no page twice, and no resource', () => {
    expect(problems(file(PAGE, PAGE))).toHaveLength(4)
    expect(problems(file(PAGE), [definition({ name: 'settings', route: 'elsewhere' })])).toEqual([
      '5 another page or resource has the name `settings`',
    ])
  })
})

describe('a definition’s place in the menu', () => {
  const place = (more: Partial<Definition>, others: Definition[] = []) =>
    inspectPlace(definition(more), context(file(PAGE), [definition(more), ...others])).map(
      ({ pointer, message }) => `${pointer} ${message}`,
    )

  it('may be a tab of a page or of a resource, or an entry', () => {
    expect(place({ parent: 'settings' })).toEqual([])
    expect(place({ parent: 'devices' }, [definition({ name: 'devices' })])).toEqual([])
    expect(place({ parent: 'racks' }, [definition({ name: 'racks', parent: 'settings' })])).toEqual([])
    expect(place({ section: 'main', icon: 'laptop' })).toEqual([])
    expect(place({ page_object: 'settings' })).toEqual([])
  })

  it.each([
    ['an unknown parent', { parent: 'setings' }, '/parent no page or resource `setings` to be a tab of'],
    [
      'a tab of a tab as its parent',
      { parent: 'shelves' },
      '/parent `shelves` is a tab of `racks`, which is a tab itself',
    ],
    ['a parent without a list', { parent: 'people' }, '/parent `people` has no list to be a tab of'],
    ['an unknown object', { page_object: 'setings' }, '/page_object no permission object `setings`'],
  ] as const)('is wrong with %s', (_what, more, problem) => {
    const others = [
      definition({ name: 'racks', parent: 'settings' }),
      definition({ name: 'shelves', parent: 'racks' }),
      definition({ name: 'people', list: false }),
    ]
    expect(place(more, others)).toEqual([problem])
  })
})
