import i18next from 'i18next'
import { renderToStaticMarkup } from 'react-dom/server'
import { initReactI18next } from 'react-i18next'
import { MemoryRouter } from 'react-router'
import { afterEach, describe, expect, it } from 'vitest'
import { AccessContext } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { findDefinition } from '@/resource/language/registry'
import { wordsIn } from '@/resource/language/words'
import { declaredColumns } from '@/resource/request/query/columns'
import { ListTable, type ListTableProps } from '@/resource/screens/list/list-table'
import enEngine from '../../../../../locales/en/engine.json'
import trEngine from '../../../../../locales/tr/engine.json'
import { resourceWords } from '../../../../support/resource-words'

// Nothing is asked for; the real one wants a browser.

await i18next.use(initReactI18next).init({
  showSupportNotice: false,
  lng: 'en',
  fallbackLng: 'en',
  resources: {
    en: { engine: enEngine, resources: resourceWords('en') },
    tr: { engine: trEngine, resources: resourceWords('tr') },
  },
})

const ROW: Row = {
  id: '5b1d0f0e-0000-4000-8000-000000000001',
  name: 'SRV-01',
  status: 'online',
  os: 'Ubuntu',
  os_version: '24.04',
  reboot_required: true,
  boot_time: null,
}

function draw(props: Partial<ListTableProps> = {}): string {
  const definition = findDefinition('devices')
  if (!definition) throw new Error('No definition of devices')
  const table: ListTableProps = {
    definition,
    words: wordsIn(i18next, 'en', definition),
    columns: declaredColumns(definition),
    rows: [ROW],
    sort: [],
    density: 'comfortable',
    box: null,
    place: '/devices',
    onSort: () => undefined,
    onHover: () => undefined,
    onResize: undefined,
    linkState: null,
    selection: null,
    rowMenu: null,
    tick: null,
    grid: null,
    long: null,
    ...props,
  }
  return renderToStaticMarkup(
    <MemoryRouter>
      <AccessContext.Provider
        value={{ status: 'ready', can: () => ({ allowed: true }), retry: () => undefined }}
      >
        <ListTable {...table} />
      </AccessContext.Provider>
    </MemoryRouter>,
  )
}

describe('the first column of a list', () => {
  it('links the record of the row, and no other record, whatever it shows', () => {
    const definition = findDefinition('procedures')
    if (!definition) throw new Error('No definition of procedures')
    const author = { created_by: 'p1', created_by_row: { id: 'p1', name: 'Ayşe' } }
    const html = draw({
      definition,
      words: wordsIn(i18next, 'en', definition),
      columns: [{ field: 'created_by' }, { field: 'name', with: ['created_by'] }],
      rows: [{ id: '1', name: 'Restart', ...author }],
    })
    expect(html).toContain('<a class="k-row-link" href="/procedures/1"><span>Ayşe</span></a>')
    expect(html.match(/<a [^>]*href="[^"]*"/g)).toHaveLength(2)
  })
})

describe('a row of a list', () => {
  afterEach(() => i18next.changeLanguage('en'))

  it('has a cell per column, its link, the secondary text, and dashes for screen readers', () => {
    const html = draw()
    expect(html).toContain(`<a class="k-row-link" href="/devices/${ROW.id}">`)
    expect(html).toContain('<span class="k-cell-detail">')
    expect(html).toContain('24.04')
    expect(html.split('<td').length - 1).toBe(6)
    expect(html).toContain('<span class="k-visually-hidden">')
  })

  it('tells two secondary texts apart', () => {
    const columns = [{ field: 'name', with: ['os', 'os_version'] }]
    const html = draw({ columns, rows: [{ ...ROW, os: 'Ubuntu', os_version: '24.04' }] })
    expect(html.replace(/<[^>]+>/g, '')).toContain('Ubuntu · 24.04')
  })

  it('reads in the language of the moment', async () => {
    expect(draw()).toContain('Online')
    await i18next.changeLanguage('tr')
    const html = draw()
    expect(html).toContain('Çevrimiçi')
    expect(html).not.toContain('Online')
  })

  it('shows what is edited in a cell over its value, which keeps its room, and no link meanwhile', () => {
    const relation = {
      ...ROW,
      groups_row: [{ row: { id: '5b1d0f0e-0000-4000-8000-000000000002', name: 'Ankara' } }],
    }
    expect(draw({ rows: [relation] })).toContain('href="/groups/')
    const html = draw({
      rows: [relation],
      grid: {
        isOn: true,
        fields: [],
        edited: ROW.id as string,
        cell: (_row, field) => ({
          attributes: { 'data-cell': field, 'data-changed': false, 'data-editing': false, tabIndex: -1 },
          ...(field === 'os' ? { editor: <b>editor</b> } : {}),
        }),
      },
    })
    expect(html).toContain('<b>editor</b>')
    expect(html).toMatch(/Ubuntu.*24\.04.*<b>editor<\/b>/)
    expect(html).toContain('Ankara')
    expect(html).not.toContain('<a ')
    expect(html).toContain('data-cell="os"')
  })
})
