// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { usePageWords } from '@/app/page-words'
import { refineResources } from '@/app/refine-resources'
import { consolePages, findPage } from '@/app/registry'
import { LANGUAGES, type Language } from '@/i18n/language'
import { RECORD_TITLES, TITLES, titleOf } from '../../e2e/support/routes'
import { render } from '../../support/render'

function Titles({ paths, of = 'title' }: { paths: readonly string[]; of?: 'title' | 'documentTitle' }) {
  const words = usePageWords()
  return paths.map((path) => <p key={path}>{words[of](findPage(path))}</p>)
}

async function titlesOf(paths: readonly string[], language: Language = 'en'): Promise<(string | null)[]> {
  await render(<Titles paths={paths} />, { language })
  return screen.getAllByRole('paragraph').map((found) => found.textContent)
}

/** The names of a page in all places that show it, by the page's path. */
function Names({ paths }: { paths?: readonly string[] }) {
  const words = usePageWords()
  const resources = refineResources(words)
  const pages = consolePages().filter(({ path }) => path !== null)
  return (paths ?? pages.map(({ path }) => path ?? '')).map((path) => {
    const page = pages.find((each) => each.path === path)
    const names = [
      words.title(findPage(path)),
      words.labelAt(path),
      ...(page ? [words.label(page), resources.find(({ name }) => name === page.name)?.meta?.label] : []),
      ...(page ? [words.documentTitle(findPage(path)).replace(' · Konsol', '')] : []),
    ]
    return <p key={path}>{[path, ...names].join('|')}</p>
  })
}

const BELOW = {
  '/devices/': 'Devices',
  '/devices/42': 'Device Details',
  '/devices/42/edit': 'Device Details',
  '/monitors/42': 'Monitor Details',
  '/procedures/42': 'Script Details',
  '/automation/42': 'Automation Details',
  '/automation/42/pcs': 'Automation Details',
  '/tickets/42': 'Ticket Details',
  '/create-monitor': 'Create',
  '/create-procedure': 'Create',
  '/tickets/create-ticket': 'Create',
  '/categories/42': 'Konsol',
  '/categories/42/edit': 'Konsol',
  '/issues/42': 'Konsol',
  '/groups/42': 'Group',
  '/dashboard': 'Konsol',
  '/nothing': 'Konsol',
}

afterEach(cleanup)

describe('the top bar’s title', () => {
  it.each([
    ['every path', { ...TITLES, ...RECORD_TITLES }],
    ['what lies below a list', BELOW],
  ])('of %s is the specification’s', async (_what, titles) => {
    expect(await titlesOf(Object.keys(titles))).toEqual(Object.values(titles))
  })

  it('is in the reader’s language', async () => {
    const titles = {
      '/': 'Kontrol Paneli',
      '/tickets': 'Destek Talepleri',
      '/devices/42': 'Cihaz Ayrıntıları',
      '/software-licenses': 'Yazılım Lisansları',
      '/categories': 'Talep Kategorileri',
      '/issues/42': 'Konsol',
      '/create-monitor': 'Oluştur',
    }
    expect(await titlesOf(Object.keys(titles), 'tr')).toEqual(Object.values(titles))
    cleanup()
    const paths = Object.keys({ ...TITLES, ...RECORD_TITLES })
    expect(await titlesOf(paths, 'tr')).toEqual(paths.map((path) => titleOf(path, 'tr')))
  })

  it.each([
    [
      'en',
      ['Edit device · Konsol', 'New ticket · Konsol', 'New monitor · Konsol', 'Tickets · Konsol', 'Konsol'],
    ],
    [
      'tr',
      [
        'Cihaz düzenleme · Konsol',
        'Yeni destek talebi · Konsol',
        'Yeni izleyici · Konsol',
        'Destek Talepleri · Konsol',
        'Konsol',
      ],
    ],
  ] as const)('in the document names what a form creates or edits (%s)', async (language, titles) => {
    const paths = ['/devices/42/edit', '/tickets/create-ticket', '/create-monitor', '/tickets', '/dashboard']
    await render(<Titles paths={paths} of="documentTitle" />, { language })
    expect(screen.getAllByRole('paragraph').map((found) => found.textContent)).toEqual(titles)
  })

  it('in the document names a record that the top bar leaves to the product', async () => {
    await render(<Titles paths={['/categories/42', '/issues/42', '/groups/42']} of="documentTitle" />)
    const titles = screen.getAllByRole('paragraph').map((found) => found.textContent)
    expect(titles).toEqual(['Category · Konsol', 'Issue type · Konsol', 'Group · Konsol'])
  })
})

describe('the name of a page', () => {
  it.each(LANGUAGES)(
    'is the same in the top bar, the tab, the links and Refine’s resources (%s)',
    async (language) => {
      const { unmount } = await render(<Names />, { language })
      const found = screen.getAllByRole('paragraph').map((each) => each.textContent?.split('|') ?? [])
      unmount()
      expect(found.length).toBeGreaterThan(30)
      for (const [path, ...names] of found)
        expect(new Set(names).size, `${path}: ${names.join(', ')}`).toBe(1)
    },
  )

  it('is the product’s where a link leads to no page', async () => {
    await render(<Names paths={['/no-such-page']} />)
    expect(screen.getByRole('paragraph').textContent).toBe('/no-such-page|Konsol|Konsol')
  })
})
