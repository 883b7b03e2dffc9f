import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type DefinitionStore, openDefinitions } from '../../../supabase/embedded/definitions/store'
import { isDefinitionPath } from '../../../supabase/embedded/http/app'
import { definitionRoutes } from '../../../supabase/embedded/http/definitions'
import { eventually } from '../../support/eventually'

const definition = (name: string, extra: object = {}) =>
  JSON.stringify({ name, fields: { title: { type: 'text' } }, ...extra }, null, 2)

let root: string
let store: DefinitionStore | undefined
let lines: string[]
let columns: Record<string, string[]>
const onChange = vi.fn()

const file = (name: string) => join(root, 'resources', `${name}.json`)
const write = (name: string, text: string) => writeFileSync(file(name), text)
const textsFile = (language: string, name: string) => join(root, `locales/${language}/resources/${name}.json`)
const writeTexts = (language: string, name: string, text: string) =>
  writeFileSync(textsFile(language, name), text)
const texts = (language: string) =>
  JSON.parse(store?.current().files.get(`/definitions.${language}.json`)?.body ?? 'null') as unknown
const entry = (name: string) => store?.current().entries.find((each) => each.name === name)
const shown = (name: string) => entry(name)?.definition

async function open(): Promise<DefinitionStore> {
  lines = []
  onChange.mockClear()
  store = await openDefinitions({
    root,
    keepIn: join(root, 'kept.json'),
    log: (line) => lines.push(line),
    onChange,
    readColumns: async () => new Map(Object.entries(columns).map(([name, own]) => [name, new Set(own)])),
  })
  return store
}

beforeEach(() => {
  columns = {
    boats: ['id', 'title', 'color'],
    crews: ['id', 'boat_id'],
    sails: ['id', 'title'],
    ports: ['id', 'berth_id'],
  }
  root = mkdtempSync(join(tmpdir(), 'konsol-definitions-'))
  mkdirSync(join(root, 'resources'))
  for (const language of ['en', 'tr'])
    mkdirSync(join(root, `locales/${language}/resources`), { recursive: true })
  writeFileSync(join(root, 'locales/README.md'), '')
  writeTexts('en', '_shared', '{ "values": { "yes": "Yes" } }')
  writeTexts('en', 'boats', '{ "many": "Boats" }')
  writeTexts('tr', 'boats', '{ "many": "Tekneler" }')
  write('boats', definition('boats'))
  write('crews', definition('crews', { fields: { boat_id: { type: 'relation', to: 'boats' } } }))
})

afterEach(() => {
  store?.close()
  rmSync(root, { recursive: true, force: true })
})

describe('the definitions of a running console', () => {
  it('are read again when asked, and told of only when something changed', async () => {
    const { refresh, current } = await open()
    const before = current().versions
    await refresh()
    expect(onChange).not.toHaveBeenCalled()
    write('boats', definition('boats', { icon: 'printer' }))
    write('sails', definition('sails'))
    await refresh()
    expect(onChange).toHaveBeenCalledOnce()
    expect(shown('boats')?.icon).toBe('printer')
    expect(current().paths).toContain('/sails/:id')
    expect(current().versions.definitions).not.toBe(before.definitions)
    expect(current().versions.words).toEqual(before.words)
  })

  it('keep the last correct version of a broken file, say where it is wrong, and that it was mended', async () => {
    const { refresh } = await open()
    write('boats', '{ "name": "boats",\n "fields": { "title": { "type": "tex" } } }')
    await refresh()
    expect(shown('boats')?.fields.title?.type).toBe('text')
    expect(entry('boats')?.problems).toMatchObject([{ file: 'resources/boats.json', line: 2 }])
    expect(lines).toEqual([
      expect.stringMatching(
        /^resources\/boats\.json:2 {2}unknown type `tex`.*keeps its last correct version\.$/,
      ),
    ])
    // Definitions that refer to it are not wrong because of it.
    expect(entry('crews')?.problems).toEqual([])
    write('boats', definition('boats'))
    await refresh()
    expect(entry('boats')?.problems).toEqual([])
    expect(lines[1]).toBe('resources/boats.json has no error any more.')
  })

  it('start with a broken file, one of a newer version and one that is gone', async () => {
    write('boats', '{ half')
    write('sails', definition('sails', { hologram: true }))
    write('ports', definition('ports', { fields: { berth_id: { type: 'relation', to: 'berths' } } }))
    await open()
    expect(shown('boats')).toBeNull()
    expect(shown('crews')?.name).toBe('crews')
    expect(shown('sails')).toBeNull()
    expect(shown('crews')?.name).toBe('crews')
    expect(lines.map((line) => line.replace(/ {2}.*/, '')).sort()).toEqual([
      'resources/boats.json:1',
      'resources/ports.json:6',
      'resources/sails.json:8',
    ])
    expect(lines.join()).toContain('Its page shows this error.')
  })

  it.each<[string, string, RegExp]>([
    ['long', definition('boats', { icon: 'x'.repeat(1_000_000) }), /more than 1000000 characters/],
    ['deep', definition('boats', { icon: 0 }).replace('0', '['.repeat(400_000)), /nested deeper than 50/],
    ['rich', definition('boats', { unique: new Array(50_000).fill([]) }), /more than 50000 values/],
  ])('start beside the last correct version of a file that is too %s', async (_what, text, problem) => {
    ;(await open()).close()
    write('boats', text)
    writeTexts('en', 'boats', text)
    await open()
    expect(shown('boats')?.fields.title?.type).toBe('text')
    expect(store?.current().files.get('/definitions.en.json')?.body.includes('Boats')).toBe(true)
    expect(lines.map((line) => problem.test(line))).toEqual([true, true])
  })

  it('keep the last correct version over a restart', async () => {
    ;(await open()).close()
    write('boats', '{ half')
    writeTexts('en', 'boats', '{')
    await open()
    expect(shown('boats')?.name).toBe('boats')
    expect(store?.current().files.get('/definitions.en.json')?.body).toContain('Boats')
    expect(lines).toHaveLength(2)
  })

  it('wait for the migration of a column, and for that of a table', async () => {
    const { refresh } = await open()
    const painted = { fields: { title: { type: 'text' }, paint: { type: 'text' } } }
    write('boats', definition('boats', painted))
    write('masts', definition('masts'))
    await refresh()
    expect(Object.keys(shown('boats')?.fields ?? {})).toEqual(['title'])
    expect(shown('masts')).toBeNull()
    expect(entry('boats')?.problems).toMatchObject([
      {
        line: 7,
        message: 'the table `boats` has no column `paint` yet',
        hint: 'Run `npm run resource migrate boats`.',
      },
    ])
    expect(entry('masts')?.problems[0]?.message).toBe('the database has no table or view `masts` yet')
    columns = { ...columns, boats: ['id', 'title', 'paint'], masts: ['id', 'title'] }
    await refresh()
    expect(Object.keys(shown('boats')?.fields ?? {})).toEqual(['title', 'paint'])
    expect(shown('masts')?.name).toBe('masts')
  })

  it('never show a definition beside an earlier version of one that it needs', async () => {
    const { refresh } = await open()
    const lists = (column: string) => ({
      fields: { boat_id: { type: 'relation', to: 'boats' } },
      list: { columns: [`boat_id.${column}`] },
    })
    write('crews', definition('crews', lists('title')))
    await refresh()
    // `boats` gets a field and an error; `crews` shows the field already.
    write(
      'boats',
      definition('boats', { fields: { title: { type: 'text' }, color: { type: 'text', wrong: 1 } } }),
    )
    write('crews', definition('crews', lists('color')))
    await refresh()
    expect(shown('crews')?.list).toEqual({ columns: ['boat_id.title'] })
    expect(entry('crews')?.problems).toEqual([])
    write('boats', definition('boats', { fields: { title: { type: 'text' }, color: { type: 'text' } } }))
    await refresh()
    expect(shown('crews')?.list).toEqual({ columns: ['boat_id.color'] })
  })

  it('follow their files by themselves, and wait for a file that is replaced or renamed', async () => {
    await open()
    const text = readFileSync(file('boats'), 'utf8')
    rmSync(file('boats'))
    write('sails', definition('sails'))
    setTimeout(() => write('boats', text), 500)
    await eventually(() => expect(shown('sails')).toBeTruthy())
    expect(shown('boats')?.name).toBe('boats')
    // As a command does, whose migration the database has already.
    columns = { ...columns, yachts: columns.sails ?? [], sails: [] }
    write('yachts', definition('yachts'))
    rmSync(file('sails'))
    await eventually(() => expect(entry('sails')).toBeUndefined())
    expect(shown('yachts')?.name).toBe('yachts')
    expect(lines).toEqual([])
  })
})

describe('the texts of a running console', () => {
  it('are one file for each language, whatever the number of their files', async () => {
    const { current } = await open()
    expect(Object.keys(current().versions.words)).toEqual(['en', 'tr'])
    expect(texts('en')).toEqual({ _shared: { values: { yes: 'Yes' } }, boats: { many: 'Boats' } })
    expect(texts('tr')).toEqual({ boats: { many: 'Tekneler' } })
  })

  it('follow a file that is added, renamed and removed, each in its own language', async () => {
    const { current, refresh } = await open()
    const before = current().versions
    writeTexts('en', 'crews', '{ "many": "Crews" }')
    await vi.waitFor(() => expect(texts('en')).toMatchObject({ crews: { many: 'Crews' } }), {
      timeout: 20_000,
    })
    expect(current().versions.words.en).not.toBe(before.words.en)
    expect(current().versions.words.tr).toBe(before.words.tr)
    expect(current().versions.definitions).toBe(before.definitions)
    renameSync(textsFile('en', 'crews'), textsFile('en', 'teams'))
    await refresh()
    expect(texts('en')).toMatchObject({ teams: { many: 'Crews' } })
    expect(texts('en')).not.toHaveProperty('crews')
    rmSync(textsFile('en', 'teams'))
    await refresh()
    expect(current().versions).toEqual(before)
  })

  it('lose those of a broken file only where it was never right', async () => {
    const { refresh } = await open()
    writeTexts('en', 'boats', '{\n  "many": "Ships",,\n}')
    writeTexts('en', 'crews', '["Crew"]')
    await refresh()
    expect(texts('en')).toEqual({ _shared: { values: { yes: 'Yes' } }, boats: { many: 'Boats' } })
    expect(lines).toEqual([
      expect.stringMatching(
        /^locales\/en\/resources\/boats\.json:2 {2}not JSON.*keeps its last correct version\.$/,
      ),
      'locales/en/resources/crews.json:1  the file is no object of texts  Until it is correct, the console shows names instead of these texts.',
    ])
    writeTexts('en', 'boats', '{ "many": "Ships" }')
    writeTexts('en', 'crews', '{ "many": "Crews" }')
    await refresh()
    expect(texts('en')).toMatchObject({ boats: { many: 'Ships' }, crews: { many: 'Crews' } })
    expect(lines.slice(2).sort()).toEqual([
      'locales/en/resources/boats.json has no error any more.',
      'locales/en/resources/crews.json has no error any more.',
    ])
  })
})

describe('a file of definitions', () => {
  it('never changes under its version, is compared without one, and is packed as the client takes it', async () => {
    const routes = definitionRoutes(await open())
    const ask = (query: string, headers: Record<string, string> = {}) =>
      routes.request(`/definitions.json${query}`, { headers })
    const version = store?.current().versions.definitions
    expect((await ask(`?v=${version}`)).headers.get('cache-control')).toContain('immutable')
    const plain = await ask('?v=older')
    expect(plain.headers.get('cache-control')).toBe('no-cache')
    const text = await plain.text()
    expect((await ask('', { 'if-none-match': `"${version}"` })).status).toBe(304)
    const brotli = await ask('', { 'accept-encoding': 'gzip, br' })
    expect(brotli.headers.get('content-encoding')).toBe('br')
    expect(brotliDecompressSync(await brotli.arrayBuffer()).toString()).toBe(text)
    const zipped = await ask('', { 'accept-encoding': 'gzip' })
    expect(gunzipSync(await zipped.arrayBuffer()).toString()).toBe(text)
    write('boats', definition('boats', { icon: 'printer' }))
    await store?.refresh()
    expect(await (await ask('')).text()).not.toBe(text)
    for (const path of ['/definitions.xx.json', '/definitions.json/']) {
      expect(isDefinitionPath(path)).toBe(true)
      expect((await routes.request(path)).status).toBe(404)
    }
  })
})
