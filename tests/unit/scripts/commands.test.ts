import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { inspectCycles } from '@/resource/language/inspect/cycles'
import { fieldNameProblem, resourceNameProblem } from '@/resource/language/inspect/reserved'
import { readArguments } from '../../../scripts/resource/arguments'
import { confirmDeletion } from '../../../scripts/resource/ask'
import { explainAnswer, explainDatabaseError } from '../../../scripts/resource/database-error'
import { definitionText } from '../../../scripts/resource/definition-text'
import { parseFieldArgument } from '../../../scripts/resource/field-spec'
import { editJson, formatJson } from '../../../scripts/resource/json-text'
import { planTable } from '../../../scripts/resource/migration/plan'
import { takenProblem } from '../../../scripts/resource/names'
import { buildDefinition } from '../../../scripts/resource/new'
import { askRenamed, renamedPairs } from '../../../scripts/resource/rename/ask-renamed'
import { fillWords, tellUntranslated } from '../../../scripts/resource/words-of'
import type { CatalogTable } from '../../../supabase/embedded/catalog'
import { printers } from './printers'

const context = { resources: ['devices', 'groups'], resource: 'printers', singular: 'printer' }
const field = (argument: string) => parseFieldArgument(argument, context)

describe('a field argument', () => {
  it.each([
    ['serial:text!', { type: 'text', max_length: 200, search: true, required: true }],
    ['model', { type: 'text', max_length: 200, search: true }],
    ['model:text(80)', { type: 'text', max_length: 80, search: true }],
    [
      'status:enum(active,retired)=retired',
      { type: 'enum', values: { active: 'green', retired: 'orange' }, default: 'retired', filter: true },
    ],
    [
      'condition:enum(good,damaged)',
      { type: 'enum', values: { good: 'green', damaged: 'orange' }, filter: true },
    ],
    ['device_id:devices!', { type: 'relation', to: 'devices', filter: true, required: true }],
    [
      'groups:groups[]',
      {
        type: 'many-to-many',
        to: 'groups',
        through: 'printer_groups',
        near: 'printer_id',
        far: 'group_id',
        filter: true,
      },
    ],
    ['cost:money(EUR)', { type: 'money', currency: 'EUR', min: 0 }],
    ['seats:number(1..500)=1', { type: 'number', min: 1, max: 500, default: 1 }],
    ['on:boolean', null],
    ['parent_id:printers', { type: 'relation', to: 'printers', filter: true }],
  ])('%s', (argument, expected) => {
    if (expected === null) expect(() => field(argument)).toThrow(/word of SQL/)
    else expect(field(argument)[1]).toEqual(expected)
  })

  it.each([
    ['a:txt', /Did you mean `text`/],
    ['a:device', /Did you mean `devices`/],
    ['a:enum', /needs its values/],
    ['a:enum(x,x)', /listed twice/],
    ['a:enum(fine,broken)=brokn', /Did you mean `broken`/],
    ['a:number(x)', /no range/],
    ['a:number=many', /no number/],
    ['a:text(0)', /no length/],
    ['a:computed', /generated column/],
    ['a:printers[]', /joined with itself/],
    ['id:text', /every table has already/],
    ['sort:text', /list's address/],
    ['Şube adı:text', /Did you mean `sube_adi`/],
  ])('%s is refused with its cause', (argument, message) => {
    expect(() => field(argument)).toThrow(message)
  })
})

describe('a name', () => {
  it('is refused where the database, the address or another has it', () => {
    expect(resourceNameProblem('order')?.hint).toContain('orders')
    expect(resourceNameProblem('search_devices')).not.toBeNull()
    expect(resourceNameProblem('printers')).toBeNull()
    expect(fieldNameProblem('company_id', { isNew: false })).toBeNull()
    const taken = { definitions: [printers], tables: ['profiles'], paths: ['/settings', '/create-monitor'] }
    expect(takenProblem({ name: 'printers' }, taken)?.hint).toContain('migrate printers')
    expect(takenProblem({ name: 'profiles' }, taken)?.hint).toContain('from-table profiles')
    expect(takenProblem({ name: 'settings' }, taken)?.message).toContain('/settings')
    expect(takenProblem({ name: 'monitors' }, taken)?.message).toContain('/create-monitor')
    expect(takenProblem({ name: 'rest' }, taken)?.message).toContain('the server')
    expect(takenProblem({ name: 'kiosks' }, taken)).toBeNull()
  })
})

describe('a new definition', () => {
  const definition = buildDefinition({ name: 'kiosks', fields: ['serial:text!', 'bought_on:date'] }, [])

  it('has an order, a title and the columns every table has', () => {
    expect(definition).toMatchObject({ title: '{serial}', list: { sort: 'serial' } })
    expect(definition.fields.serial?.sort).toBe('serial_key')
    expect(Object.keys(definition.fields)).toEqual([
      'serial',
      'bought_on',
      'company_id',
      'created_at',
      'updated_at',
    ])
  })

  it('is written a field a line', () => {
    const text = definitionText(definition as unknown as Record<string, unknown>)
    expect(JSON.parse(text)).toEqual(definition)
    expect(text).toContain('\n    "bought_on": { "type": "date", "filter": true, "sort": true },\n')
  })
})

describe('words', () => {
  const shared = { fields: { name: 'Name' } }
  const known = {
    en: { _shared: shared, devices: { one: 'Device' } },
    tr: { _shared: shared, devices: { one: 'Cihaz' } },
  }

  it('are proposed where they are missing, and Turkish ones nobody knows are named', () => {
    const definition = {
      name: 'kiosks',
      fields: {
        name: { type: 'text' },
        serial: { type: 'text' },
        device_id: { type: 'relation', to: 'devices' },
        gadget: { type: 'enum', values: { lost: 'red' } },
      },
    } as Definition
    const { words, untranslated } = fillWords(definition, known, { tr: ['Kiosk', 'Kiosklar'] })
    expect(words.tr).toMatchObject({
      kiosks: {
        one: 'Kiosk',
        many: 'Kiosklar',
        fields: { serial: 'Seri numarası', device_id: 'Cihaz', gadget: 'Gadget' },
        values: { gadget: { lost: 'Kayıp' } },
      },
    })
    expect(words.en).toMatchObject({
      kiosks: { one: 'Kiosk', many: 'Kiosks', fields: { device_id: 'Device' } },
    })
    expect(untranslated).toEqual([['kiosks', 'fields', 'gadget']])
    expect(fillWords(definition, words).words).toEqual(words)
  })

  it('go with their fields', () => {
    const own = { fields: { serial: 'S', room: 'R' }, values: { room: { a: 'A' } }, one: 'Kiosk' }
    const definition = { name: 'kiosks', fields: { serial: { type: 'text' } } } as Definition
    const { words } = fillWords(definition, { en: { kiosks: own }, tr: {} }, {}, ['room'])
    expect(words.en).toMatchObject({ kiosks: { fields: { serial: 'S' }, one: 'Kiosk' } })
    expect(JSON.stringify(words.en)).not.toContain('room')
  })

  it('that are still English are told by ten names at once', () => {
    const names = Array.from({ length: 13 }, (_none, index) => ['kiosks', 'fields', `w${index}`])
    const group = ['_shared', 'groups', 'office']
    expect(tellUntranslated({ untranslated: [] })).toEqual([])
    expect(tellUntranslated({ untranslated: names.slice(0, 10) })).toEqual([
      expect.stringMatching(/^Still in English in locales\/tr\/resources\/kiosks\.json: fields\.w0, .*w9$/),
    ])
    expect(tellUntranslated({ untranslated: [...names, group] })).toEqual([
      expect.stringMatching(/: fields\.w0, .*w9 … and 3 more$/),
      'Still in English in locales/tr/resources/_shared.json: groups.office',
    ])
  })

  it('take a name that every object has as any other', () => {
    const fields = { constructor: { type: 'enum', values: { toString: 'red' } } }
    const definition = { name: 'kiosks', fields } as unknown as Definition
    const { words } = fillWords(definition, { en: {}, tr: {} })
    expect(words.en).toMatchObject({
      kiosks: { fields: { constructor: 'Constructor' }, values: { constructor: { toString: 'ToString' } } },
    })
  })
})

describe('circles', () => {
  const check = (fields: object) =>
    inspectCycles({ name: 'a', fields } as Definition, (name) =>
      name === 'a' ? ({ name, fields } as Definition) : null,
    )

  it('of fields that wait for each other are told once', () => {
    const problems = check({
      x: { type: 'text', when: { y: { _eq: 1 } } },
      y: { type: 'text', when: { x: { _eq: 1 } } },
    })
    expect(problems).toMatchObject([
      { pointer: '/fields/x/when', message: expect.stringContaining('x → y → x') },
    ])
  })

  it('of records of which none can be made first are told', () => {
    expect(check({ parent_id: { type: 'relation', to: 'a', required: true } })).toMatchObject([
      { pointer: '/fields/parent_id' },
    ])
    expect(check({ parent_id: { type: 'relation', to: 'a' } })).toEqual([])
  })

  it('are none where a read-only field is shown once it has a value', () => {
    expect(check({ error: { type: 'text', readonly: true, when: { error: { _null: false } } } })).toEqual([])
  })
})

describe('the arguments of a command', () => {
  const read = (args: string[], env: Record<string, string> = {}) => readArguments(args, env)

  it('come from the command line, or from npm, which takes some for itself', () => {
    const { positionals, flag, text } = read(['rename', 'a', 'b', '--label-tr', 'X/Y'], {
      npm_config_label: 'One/Many',
      npm_config_yes: 'true',
    })
    expect(positionals).toEqual(['rename', 'a', 'b'])
    expect([flag('yes'), flag('drop')]).toEqual([true, false])
    expect({ ...text('label'), ...text('label-tr'), ...text('icon') }).toEqual({
      label: 'One/Many',
      labelTr: 'X/Y',
    })
    expect(read(['migrate', 'a', '--drop', 'room', 'floor']).positionals.slice(2)).toEqual(['room', 'floor'])
  })

  it.each<[string, string[], Record<string, string>, RegExp]>([
    [
      'a value that npm kept',
      ['rename', 'a', 'b', 'X'],
      { npm_config_label: 'true' },
      /npm took --label for itself/,
    ],
    ['a flag with a value', ['migrate', 'a', '--drop=room'], {}, /'--drop' does not take an argument/],
    ['the same through npm', ['migrate', 'a'], { npm_config_drop: 'room' }, /--drop takes no value/],
    ['an unknown option', ['check', '--lable', 'X'], {}, /Unknown option '--lable'/],
  ])('%s is refused with the way to write it', (_what, args, env, message) => {
    expect(() => read(args, env)).toThrow(message)
    expect(() => read(args, env)).toThrow(/npm run resource -- <command>/)
  })
})

describe('a deletion', () => {
  it('is not done unasked: without a terminal it needs --yes', async () => {
    await expect(confirmDeletion('the column `room` of `printers` (3 values)')).rejects.toThrow(
      /^This would be deleted for good: the column `room` of `printers` \(3 values\).*Add --yes/,
    )
  })
})

describe('a field that went and one that came', () => {
  const table = {
    columns: [
      { name: 'id', type: 'uuid' },
      { name: 'room', type: 'text' },
      { name: 'closed', type: 'date' },
    ],
  } as CatalogTable
  const pairs = (fields: Record<string, unknown>) => {
    const definition = { name: 'printers', fields } as unknown as Definition
    return renamedPairs(
      definition,
      planTable(definition, () => null),
      table,
    )
  }

  it('may be one with a new name, where the column could hold it', () => {
    const office = { from: 'room', to: 'office' }
    expect(pairs({ office: { type: 'text' } })).toEqual([office])
    expect(pairs({ office: { type: 'number' } })).toEqual([])
    expect(pairs({ room: { type: 'text' }, office: { type: 'text' } })).toEqual([])
    expect(pairs({ office: { type: 'text' }, floor: { type: 'text' }, opened: { type: 'date' } })).toEqual([
      office,
      { from: 'room', to: 'floor' },
      { from: 'closed', to: 'opened' },
    ])
  })

  it('are asked for, each with the command that renames it', async () => {
    const asked = askRenamed('printers', pairs({ office: { type: 'text' }, opened: { type: 'date' } }))
    await expect(asked).rejects.toThrow(
      /resource rename printers\.room office\n.*\n.*rename printers\.closed opened\nNothing was changed.*-- --yes/,
    )
    const several = askRenamed('printers', [
      { from: 'room', to: 'office' },
      { from: 'floor', to: 'office' },
    ])
    await expect(several).rejects.toThrow(
      /^`room`, `floor` are no longer in the definition and `office` is new/,
    )
    expect(await askRenamed('printers', [])).toEqual([])
  })
})

describe('JSON that a command edits', () => {
  it('keeps its formatting, and breaks a line that became too long', () => {
    const text =
      '{\n  "name": "a",\n  "fields": { "b": { "type": "text" } },\n  "list": { "columns": ["b"] }\n}\n'
    const to = 'b'.repeat(70)
    const edited = editJson(text, ({ text: found }) => (found === 'b' ? to : undefined))
    expect(edited).toBe(
      `{\n  "name": "a",\n  "fields": { "${to}": { "type": "text" } },\n  "list": { "columns": ["${to}"] }\n}\n`,
    )
    const wide = editJson(edited, ({ text: found }) => (found === to ? 'b'.repeat(80) : undefined))
    expect(wide).toContain(`"fields": {\n    "${'b'.repeat(80)}": { "type": "text" }\n  },`)
    expect(formatJson(wide)).toBe(wide)
    const own = '{"name":"b"}'
    expect(editJson(own, ({ kind }) => (kind === 'string' ? 'c' : undefined))).toBe('{"name":"c"}')
  })
})

describe('a refusal of the database', () => {
  it.each([
    [
      '53100',
      'could not extend file "base/5/16384": No space left on device',
      /disk of the database is full\.\n +Free some space/,
    ],
    [
      '23502',
      'column "room" of relation "printers" contains null values',
      /`room` is empty in rows of `printers`.*where room is null/s,
    ],
    [
      '23503',
      'insert or update on table "printers" violates foreign key constraint "printers_device_id_fkey"',
      /Rows of `printers` point at/,
    ],
    [
      '23503',
      'the role "Clerk" cannot be removed: accounts with it: 1',
      /^the role "Clerk" cannot be removed/,
    ],
    [
      '23505',
      'could not create unique index "printers_serial_idx"',
      /`printers_serial_idx` forbids.*duplicates/s,
    ],
    [
      '23514',
      'check constraint "printers_cost_check" of relation "printers" is violated by some row',
      /Rows of `printers` break the rule `printers_cost_check`/,
    ],
    [
      '23514',
      'new row for relation "printers" violates check constraint "printers_cost_check"',
      /Rows of `printers` break the rule `printers_cost_check`/,
    ],
    ['42883', 'operator does not exist: text > integer', /same kind/],
    ['42P07', 'relation "printers" already exists', /`printers` exists.*another name/s],
    ['42703', 'column "rom" does not exist', /old name/],
    ['0A000', 'cannot alter type of a column used by a view or rule', /Drop what depends/],
    [
      '42704',
      'data type uuid has no default operator class for access method "gist"',
      /extension `btree_gist`: write `create extension if not exists btree_gist with schema extensions;`/,
    ],
    ['42704', 'operator class "gin_trgm_ops" does not exist for access method "gin"', /extension `pg_trgm`/],
    ['42704', 'type "mood" does not exist', /Create it in a migration that runs before/],
    ['0A000', 'extension "btree_gist" is not available', /no extension `btree_gist`.*`postgresql-contrib`/s],
    [
      '0A000',
      'extension "postgis" is not available',
      /no extension `postgis`.*The embedded database has `btree_gist`, `pg_trgm`, `pgcrypto`/s,
    ],
    [
      '58P01',
      'could not open extension control file "/usr/share/postgresql/15/extension/hstore.control": No such file or directory',
      /no extension `hstore`/,
    ],
    ['2BP01', 'cannot drop column room', /Other objects/],
    ['55P03', 'canceling statement due to lock timeout', /in use/],
    ['57014', 'canceling statement due to statement timeout', /quiet/],
  ])('%s: %s', (code, message, expected) => {
    const text = explainDatabaseError({ code, message })
    expect(text).toMatch(expected)
    expect(text).not.toContain(code)
    const file = 'supabase/migrations/1_x.sql:3'
    expect(explainAnswer(`${file} failed: ${message} (${code})`)).toBe(`${file}  ${text}`)
  })

  it('is left as it is where nothing better is known', () => {
    expect(explainDatabaseError({ code: 'XX000', message: 'odd', hint: 'Look.' })).toBe(
      'odd (XX000)\n    Look.',
    )
    expect(explainAnswer('The running server did not respond.')).toBe('The running server did not respond.')
  })
})
