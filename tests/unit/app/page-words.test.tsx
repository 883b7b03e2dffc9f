// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { documentTitle } from '@/app/document-title'
import { usePageWords } from '@/app/page-words'
import { findPage } from '@/app/registry'
import type { Language } from '@/i18n/language'
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
    ['en', ['New ticket', 'New monitor', 'Tickets', 'Konsol']],
    ['tr', ['Yeni destek talebi', 'Yeni izleyici', 'Destek Talepleri', 'Konsol']],
  ] as const)('in the document names what a form creates (%s)', async (language, titles) => {
    const paths = ['/tickets/create-ticket', '/create-monitor', '/tickets', '/dashboard']
    await render(<Titles paths={paths} of="documentTitle" />, { language })
    expect(screen.getAllByRole('paragraph').map((found) => found.textContent)).toEqual(titles)
  })

  it('in the document names a record that the top bar leaves to the product', async () => {
    await render(<Titles paths={['/categories/42', '/issues/42', '/groups/42']} of="documentTitle" />)
    const titles = screen.getAllByRole('paragraph').map((found) => found.textContent)
    expect(titles).toEqual(['Category', 'Issue type', 'Group'])
  })

  it('is in the document’s title with the product', () => {
    expect(documentTitle('Devices')).toBe('Devices · Konsol')
    expect(documentTitle('Konsol')).toBe('Konsol')
  })
})
