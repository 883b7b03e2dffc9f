import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Action, Definition, Field } from '@/resource/language/definition.generated'
import { parseEntry } from '@/resource/language/entry'
import { inspectReserved } from '@/resource/language/inspect/reserved'
import { inspectDatabase } from '../../../scripts/resource/check-database'
import { inspectNames } from '../../../scripts/resource/check-names'
import { readPages } from '../../../scripts/resource/pages'
import { readDefinitions } from '../../../scripts/resource/tree'
import { readWords } from '../../../scripts/resource/word-files'
import type { Catalog, CatalogTable } from '../../../supabase/embedded/catalog'
import { column, tableOf } from '../../support/catalog'

const devices: Definition = { name: 'devices', fields: { name: { type: 'text' } } }

const search = {
  name: 'search_devices',
  canCall: true,
  parameters: [
    { name: 'ids', type: '_uuid', hasDefault: false },
    { name: 'reason', type: 'text', hasDefault: false },
    { name: 'until', type: 'date', hasDefault: true },
    { name: 'steps', type: 'int4', hasDefault: true },
  ],
}

function check(
  fields: Record<string, Field>,
  printers: CatalogTable,
  more: Partial<Definition> = {},
  related = tableOf('devices', [column('name', 'text')]),
): string[] {
  const definition: Definition = { name: 'printers', fields, ...more }
  const catalog: Catalog = {
    tables: [printers, related],
    functions: ['search_devices'],
    signatures: [search, { name: 'purge', canCall: false, parameters: [] }],
    triggerSources: {},
  }
  const find = (name: string) => (name === 'devices' ? devices : null)
  return inspectDatabase(definition, { catalog, find, isGenerated: () => false }).map(
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
      /^\/fields\/serail .*no column `serail` \| `npm run resource migrate printers` writes it. Did you mean `serial`\?/,
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

  it('refuses a row rule without an index, and names the one that is missing', () => {
    const printers = (indexes: string[][], predicate?: string) =>
      tableOf('printers', [column('serial', 'text'), column('owner_id', 'uuid')], {
        indexes: indexes.map((columns) => ({
          name: columns.join('_'),
          columns,
          isUnique: false,
          isPartial: predicate !== undefined,
          predicate: predicate ?? null,
        })),
      })
    const said = (indexes: string[][], predicate?: string) =>
      check({ serial: { type: 'text' }, owner_id: { type: 'user' } }, printers(indexes, predicate), {
        rules: { own: { owner_id: { _eq: '$user' } } },
      }).join('\n')
    const missing =
      '/rules/own no index of `printers` begins with (company_id, owner_id), so the rule `own` would read the whole table | `npm run resource migrate printers`'
    expect(said([])).toContain(missing)
    expect(said([['company_id', 'serial', 'owner_id']])).toContain(missing)
    expect(said([['company_id', 'owner_id', 'id']])).not.toContain('would read the whole table')
    expect(said([['owner_id', 'id']])).not.toContain('would read the whole table')
    // No owner is nobody's, so an index without these rows finds all that the rule asks for.
    expect(said([['company_id', 'owner_id']], '(owner_id IS NOT NULL)')).not.toContain(
      'would read the whole table',
    )
    expect(said([['company_id', 'owner_id']], '(serial IS NOT NULL)')).toContain(missing)
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

  it('names a related column that is not there, and a view that no trigger can watch', () => {
    const printers = tableOf('printers', [column('device_id', 'uuid'), column('serial', 'text')])
    const said = (device: CatalogTable) =>
      check(
        {
          device_id: { type: 'relation', to: 'devices' },
          serial: { type: 'text', check: { _neq: '$record.device_id.name' } },
        },
        printers,
        {},
        device,
      ).join('\n')
    const missing = /\/serial\/check no trigger of the database holds the check of `serial`/
    expect(said(tableOf('devices', [column('name', 'text')]))).toMatch(missing)
    expect(said(tableOf('devices', []))).toMatch(/\/check\/_neq the table `devices` has no column `name`/)
    expect(said(tableOf('devices', [column('name', 'text')], { isView: true, isInvoker: true }))).toMatch(
      /\/check\/_neq `devices` is a view: no trigger can hold/,
    )
  })

  it('names a table, a function and a lock that are not there', () => {
    const action: Action = { on: ['row'], rpc: 'search_device' }
    expect(
      check({ serial: { type: 'text' } }, serial, { actions: { purge: { on: ['row'], rpc: 'purge' } } }),
    ).toEqual([
      '/actions/purge/rpc the database has no function `purge` that the API may call | Write `grant execute on function public.purge() to authenticated;` in a migration.',
    ])
    expect(check({ serial: { type: 'text' } }, serial, { actions: { find: action } })).toEqual([
      '/actions/find/rpc the database has no function `search_device` that the API may call | Did you mean `search_devices`?',
    ])
    expect(check({ serial: { type: 'text' } }, serial, { table: 'printer' })[0]).toContain(
      'Did you mean `printers`?',
    )
    const bare = { ...serial, columns: serial.columns.filter(({ name }) => name === 'serial') }
    expect(check({ serial: { type: 'text' } }, bare).join('\n')).toMatch(/no `company_id`[\s\S]*no `version`/)
  })

  it('compares what a deletion of the record does that a field points at', () => {
    const found = (field: Partial<Field>, rule: string) => {
      const key = {
        name: 'k',
        definition: rule,
        columns: ['device_id'],
        target: 'devices',
        targetColumns: ['id'],
      }
      const printers = tableOf('printers', [column('device_id', 'uuid')], { keys: [key] })
      return check({ device_id: { type: 'relation', to: 'devices', ...field } as Field }, printers).join()
    }
    expect(found({}, '')).toMatch(
      /to a record of `devices` cannot be deleted while .* \| Say so with `on_delete`/,
    )
    expect(found({ required: true }, 'ON DELETE CASCADE')).toMatch(/`devices` can be deleted while/)
    for (const [field, rule] of [
      [{}, 'ON DELETE SET NULL'],
      [{ required: true }, ''],
      [{ on_delete: 'restrict' }, ''],
      [{ on_delete: 'cascade', required: true }, 'ON DELETE CASCADE'],
    ] as const)
      expect(found(field as Partial<Field>, rule)).not.toMatch(/be deleted while/)
  })

  it('says whose rows a table has, which key is meant, and what announces nothing', () => {
    const fields: Record<string, Field> = { serial: { type: 'text' } }
    expect(check(fields, serial, { tenant: false })).toEqual([
      '/tenant each row of `printers` belongs to a company: without `company_id` nothing could be created | Remove `"tenant": false`.',
    ])
    expect(check(fields, serial, { live: ['printers'] })).toEqual([])
    const view = { ...serial, isView: true, isInvoker: true, hasRowSecurity: false }
    expect(check(fields, view, { live: ['printers'] })).toEqual([
      '/live/0 `printers` is a view, which announces nothing | Name the tables that it reads.',
    ])
    const keyed = tableOf('printers', [column('owner_id', 'uuid')], {
      keys: [
        {
          name: 'printers_owner_fkey',
          definition: '',
          columns: ['owner_id'],
          target: 'profiles',
          targetColumns: ['id'],
        },
      ],
    })
    const owner = (constraint: string) => check({ owner_id: { type: 'user', constraint } }, keyed).join()
    expect(owner('printers_owner_fkey')).toBe('')
    expect(owner('printer_owner_fkey')).toMatch(/owner_id\/constraint .*Did you mean `printers_owner_fkey`/)
  })

  it.each<[Partial<Action>, string]>([
    [{}, '/rpc the function `search_devices` requires `reason`, which the action does not give'],
    [{ args: { id: '$id', reason: 'a' } }, '/args/id the function `search_devices` has no parameter `id`'],
    [
      { args: { ids: '$id', reason: 'a' } },
      '/args/ids `ids` of the function `search_devices` is `uuid[]` and cannot take `$id`',
    ],
    [
      { params: { reason: { type: 'text' } } },
      '/params/reason `reason` may be left empty, but the function `search_devices` requires it',
    ],
    [
      { params: { reson: { type: 'text', required: true } }, args: { ids: '$ids', reason: 'a' } },
      '/params/reson the function `search_devices` has no parameter `reson` | Did you mean `reason`?',
    ],
    [
      { args: { ids: '$ids', reason: 'a' }, params: { until: { type: 'boolean' } } },
      '/params/until `until` of the function `search_devices` is `date` and cannot take a `boolean`',
    ],
    [
      { args: { ids: '$ids', reason: 'a' }, params: { steps: { type: 'number', decimals: 1 } } },
      '/params/steps `steps` of the function `search_devices` is `int4` and cannot take a `number`',
    ],
    [
      { args: { ids: '$ids', reason: 'a', steps: true } },
      '/args/steps `steps` of the function `search_devices` is `int4` and cannot take `true`',
    ],
  ])('compares what an action sends with its function: %o', (action, said) => {
    const find = (more: Partial<Action>) =>
      check({ serial: { type: 'text' } }, serial, {
        actions: { find: { on: ['row'], rpc: 'search_devices', ...more } },
      })
    expect(find(action).map((each) => each.replace('/actions/find', ''))[0]).toContain(said)
    const right: Partial<Action> = {
      params: {
        reason: { type: 'text', required: true },
        until: { type: 'date' },
        steps: { type: 'number' },
      },
    }
    expect(find(right)).toEqual([])
  })

  it.each<[string, Field, RegExp, Field]>([
    [
      'id',
      { type: 'number' },
      /column that every table has, and it is not `number`/,
      { type: 'text', readonly: true },
    ],
    ['id', { type: 'text', required: true }, /no form can/, { type: 'text', readonly: true }],
    ['created_at', { type: 'date', readonly: true }, /not `date`/, { type: 'datetime', readonly: true }],
    ['updated_at', { type: 'datetime' }, /no form can/, { type: 'datetime', readonly: true }],
    ['version', { type: 'text', readonly: true }, /not `text`/, { type: 'number', readonly: true }],
    [
      'company_id',
      { type: 'relation', to: 'devices', readonly: true },
      /not `relation`/,
      { type: 'relation', to: 'companies', readonly: true },
    ],
  ])('keeps the column %s: %o', (name, wrong, said, right) => {
    const found = (field: Field) =>
      inspectReserved({ name: 'printers', fields: { [name]: field } }).map(
        ({ pointer, message, hint }) => `${pointer} ${message} | ${hint}`,
      )
    expect(found(wrong).join()).toMatch(said)
    expect(found(wrong)[0]).toContain(`/fields/${name} `)
    expect(found(right)).toEqual([])
  })

  it('refuses names that are somebody else’s', () => {
    const problems = inspectReserved({
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
    definition: { name: 'boards' },
  })
  rmSync(root, { recursive: true })
})

it('tells of a broken file of texts by its line', () => {
  const root = mkdtempSync(join(tmpdir(), 'konsol-words-'))
  for (const language of ['en', 'tr']) {
    mkdirSync(join(root, `locales/${language}/resources`), { recursive: true })
    writeFileSync(join(root, `locales/${language}/resources/_shared.json`), '{}')
  }
  const file = 'locales/en/resources/printers.json'
  writeFileSync(join(root, file), '{\n  "one": "Printer",\n  "many" "Printers"\n}')
  expect(() => readWords(root)).toThrow(`${file}:3  not JSON: expected \`:\` after the key`)
  writeFileSync(join(root, file), '["Printer"]')
  expect(() => readWords(root)).toThrow(
    `${file}:1  the file is no object of texts\n    Write \`{ "one": …, "many": … }\`.`,
  )
  writeFileSync(join(root, file), '{\n  "printers": { "one": "Printer" }\n}')
  expect(() => readWords(root)).toThrow(
    `${file}:2  the texts are inside \`printers\`, where no screen finds them\n    Move them to the top level`,
  )
  // The name of a part of the texts can be the name of a resource.
  const views = 'locales/en/resources/views.json'
  writeFileSync(join(root, file), '{ "one": "Printer" }')
  writeFileSync(join(root, views), '{ "views": { "mine": "Mine" } }')
  expect(readWords(root)).toEqual({
    en: { _shared: {}, printers: { one: 'Printer' }, views: { views: { mine: 'Mine' } } },
    tr: { _shared: {} },
  })
  rmSync(join(root, 'locales/tr/resources/_shared.json'))
  expect(() => readWords(root)).toThrow(
    'locales/tr/resources/_shared.json:1  there is no such file, and all resources take texts from it\n    Take it back',
  )
  rmSync(root, { recursive: true })
})
