import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Action, Definition, Field } from '@/resource/definition/definition.generated'
import { parseEntry } from '@/resource/definition/registry'
import { inspectDatabase } from '../../../scripts/resource/check-database'
import { inspectNames } from '../../../scripts/resource/check-names'
import { readWords } from '../../../scripts/resource/check-words'
import { readPages } from '../../../scripts/resource/pages'
import { readDefinitions } from '../../../scripts/resource/tree'
import type { Catalog, CatalogTable } from '../../../supabase/embedded/catalog'
import { column, tableOf } from '../../support/catalog'

const devices: Definition = { name: 'devices', fields: { name: { type: 'text' } } }

function check(
  fields: Record<string, Field>,
  printers: CatalogTable,
  more: Partial<Definition> = {},
): string[] {
  const definition: Definition = { name: 'printers', fields, ...more }
  const catalog: Catalog = {
    tables: [printers, tableOf('devices', [column('name', 'text')])],
    functions: ['search_devices'],
    triggerSources: {},
  }
  const find = (name: string) => (name === 'devices' ? devices : null)
  return inspectDatabase(definition, { catalog, find }).map(
    ({ pointer, message, hint }) => `${pointer} ${message}${hint ? ` | ${hint}` : ''}`,
  )
}

const serial = tableOf('printers', [column('serial', 'text')])

describe('the linter, against the database,', () => {
  it('says nothing of what agrees', () => {
    expect(check({ serial: { type: 'text' } }, serial)).toEqual([])
  })

  it('names a filter that the column has no operator for, until it is switched off', () => {
    const printers = tableOf('printers', [column('row_id', 'uuid')])
    const found = (field: Field) => check({ row_id: field }, printers, {}).join()
    expect(found({ type: 'text' })).toMatch(/\/fields\/row_id a list cannot filter .*"filter": false/)
    expect(found({ type: 'text', filter: false })).toBe('')
  })

  it.each<[string, Record<string, Field>, RegExp]>([
    [
      'a column the table lacks',
      { serail: { type: 'text' } },
      /^\/fields\/serail .*no column `serail` \| Did you mean `serial`/,
    ],
    [
      'a type that cannot be',
      { serial: { type: 'number' } },
      /^\/fields\/serial\/type .*its column is `text`/,
    ],
    [
      'a required field that may be null',
      { serial: { type: 'text', required: true } },
      /\/required .*takes null/,
    ],
    [
      'a limit nobody holds',
      { serial: { type: 'text', max_length: 5 } },
      /\/max_length .*`5` \| `npm run resource migrate printers`/,
    ],
    [
      'values nobody holds',
      { serial: { type: 'enum', values: { a: 'red' } } },
      /\/values no constraint .*`a`/,
    ],
    [
      'a sort without an index',
      { serial: { type: 'text', sort: true } },
      /\/sort no index .*\(company_id, serial, id\)/,
    ],
    [
      'a sort column that is missing',
      { serial: { type: 'text', sort: 'serial_key' } },
      /\/sort .*no column `serial_key`/,
    ],
    ['a search nobody made', { serial: { type: 'text', search: true } }, /search_printers/],
    [
      'a relation without a key',
      { serial: { type: 'relation', to: 'devices' } },
      /\/to .*no foreign key to `devices`/,
    ],
  ])('names %s', (_what, fields, message) => {
    expect(check(fields, serial).join('\n')).toMatch(message)
  })

  it('refuses a plain key between the tables of tenants, and a table that is open to all', () => {
    const key = {
      name: 'k',
      definition: '',
      columns: ['device_id'],
      target: 'devices',
      targetColumns: ['id'],
    }
    const open = tableOf('printers', [column('device_id', 'uuid')], { keys: [key], hasRowSecurity: false })
    const said = check({ device_id: { type: 'relation', to: 'devices' } }, open).join('\n')
    expect(said).toMatch(/\/name .*no row-level security/)
    expect(said).toMatch(/foreign key of `device_id` is plain/)
    expect(said).toMatch(/no index of `printers` begins with \(device_id\)/)
  })

  it('refuses a view that reads its tables as its owner', () => {
    const view = (isInvoker: boolean) => ({ ...serial, isView: true, isInvoker, hasRowSecurity: false })
    expect(check({ serial: { type: 'text' } }, view(true))).toEqual([])
    expect(check({ serial: { type: 'text' } }, view(false)).join()).toMatch(
      /^\/name the view `printers` reads its tables as its owner.*alter view public\.printers set \(security_invoker = true\)/,
    )
  })

  it('names a table, a function and a lock that are not there', () => {
    const action: Action = { on: ['row'], rpc: 'search_device' }
    expect(check({ serial: { type: 'text' } }, serial, { actions: { find: action } })).toEqual([
      '/actions/find/rpc the database has no function `search_device` that the API may call | Did you mean `search_devices`?',
    ])
    expect(check({ serial: { type: 'text' } }, serial, { table: 'printer' })[0]).toContain(
      'Did you mean `printers`?',
    )
    const bare = { ...serial, columns: serial.columns.filter(({ name }) => name === 'serial') }
    expect(check({ serial: { type: 'text' } }, bare).join('\n')).toMatch(/no `company_id`[\s\S]*no `version`/)
  })

  it('refuses names that are somebody else’s', () => {
    const problems = inspectNames({
      name: 'order',
      fields: { group: { type: 'text' }, serial: { type: 'text' } },
    })
    expect(problems.map(({ pointer }) => pointer)).toEqual(['/name', '/fields/group'])
  })
})

it('refuses the address of a page of the console, of its forms, or of the server', () => {
  const written = readPages(process.cwd())
  const found = (more: Partial<Definition>) =>
    inspectNames({ name: 'boards', fields: {}, ...more }, written).map(
      ({ pointer, message }) => `${pointer} ${message}`,
    )
  for (const route of ['dashboard', 'settings', 'system-license', 'ticket-settings'])
    expect(found({ route })).toEqual([`/route the path /${route} is taken by a page of the console`])
  expect(found({ route: 'auth' })).toEqual(['/route the server answers /auth itself'])
  expect(found({})).toEqual([])
  expect(found({ route: 'template-manager' })).toEqual([])
  expect(found({ route: 'settings', list: false })).toEqual([])
})

it('reads files that Windows Notepad wrote', () => {
  const root = mkdtempSync(join(tmpdir(), 'konsol-bom-'))
  mkdirSync(join(root, 'resources'))
  const text = JSON.stringify({ name: 'boards', fields: {} })
  writeFileSync(join(root, 'resources/boards.json'), `\uFEFF${text}`)
  expect(readDefinitions(root)).toMatchObject([{ text, definition: { name: 'boards' } }])
  expect(parseEntry('resources/boards.json', `\uFEFF${text}`)).toMatchObject({
    source: text,
    definition: { name: 'boards' },
  })
  rmSync(root, { recursive: true })
})

it('tells of a broken file of texts by its line', () => {
  const root = mkdtempSync(join(tmpdir(), 'konsol-words-'))
  mkdirSync(join(root, 'locales/en'), { recursive: true })
  writeFileSync(join(root, 'locales/en/resources.json'), '{\n  "printers": {\n  "one" "Printer"\n}}')
  expect(() => readWords(root)).toThrow('locales/en/resources.json:3  not JSON: expected `:` after the key')
  rmSync(root, { recursive: true })
})
