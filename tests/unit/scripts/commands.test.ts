import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/definition/definition.generated'
import { inspectCycles } from '../../../scripts/resource/check-cycles'
import { definitionText } from '../../../scripts/resource/definition-text'
import { parseFieldArgument } from '../../../scripts/resource/field-spec'
import { fieldNameProblem, resourceNameProblem, takenProblem } from '../../../scripts/resource/names'
import { buildDefinition } from '../../../scripts/resource/new'
import { Stroke } from '../../../scripts/resource/stroke'
import { fillWords } from '../../../scripts/resource/words-of'
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
    ['sort:text', /list’s address/],
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
    const { words, untranslated, changed } = fillWords(definition, known, { tr: ['Kiosk', 'Kiosklar'] })
    expect(changed.sort()).toEqual(['en', 'tr'])
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
    expect(untranslated).toEqual(['kiosks.fields.gadget'])
    expect(fillWords(definition, words).changed).toEqual([])
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

describe('a stroke', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'konsol-stroke-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('writes all of it, or after undo nothing', () => {
    writeFileSync(join(folder, 'old'), 'before')
    const stroke = new Stroke(folder)
    stroke.write('old', 'after')
    stroke.write('new', 'text')
    expect(stroke.written()).toEqual(['old', 'new'])
    stroke.undo()
    expect(readdirSync(folder)).toEqual(['old'])
    expect(readFileSync(join(folder, 'old'), 'utf8')).toBe('before')
  })
})
