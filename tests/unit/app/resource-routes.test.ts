import { describe, expect, it } from 'vitest'
import { addedResources, pagesOf } from '@/app/resource-routes'
import { parseEntry, type ResourceEntry } from '@/resource/registry'

function entry(definition: Record<string, unknown>): ResourceEntry {
  return parseEntry(`resources/${definition.name}.json`, JSON.stringify({ fields: {}, ...definition }))
}

const paths = (definition: Record<string, unknown>) => pagesOf(entry(definition)).map((page) => page.path)

describe('the pages a definition makes', () => {
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
    expect(pagesOf(parseEntry('resources/my_printers.json', '{'))).toEqual([
      { path: '/my-printers', resource: 'my_printers', screen: 'list' },
    ])
  })
})

describe('added resources', () => {
  it('are those the console has no page for by itself', () => {
    const entries = [
      entry({ name: 'devices' }),
      // Stands as a tab beside the monitors.
      entry({ name: 'alerts' }),
      entry({ name: 'printers' }),
      entry({ name: 'x', list: false }),
    ]
    expect(addedResources(entries)).toEqual([{ name: 'printers', path: '/printers' }])
  })
})
