import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../src/resource')

/** A file imports only from its own layer and from those before it. */
const ORDER = [
  'language',
  'fields',
  'request/filter',
  'request/query',
  'language/inspect',
  'parts',
  'screens/form',
  'screens/trash',
  'screens/actions',
  'tools/bulk',
  'tools/inline',
  'tools/export',
  'tools/import',
  'screens/list',
  'screens/comments',
  'screens/show',
  'screens',
]

/** A kind's folder holds both: what a field of the kind is, which filters and queries ask, and how it is drawn. */
const FACTS =
  /^fields\/([^/]+\/(kind|script)|answers\/answer-form|kind-interface|kinds|kinds\.generated|script-interface|scripts|scripts\.generated|value-checks|file-values|guards|related-field)\.ts$/

/** The form of a record that does not exist yet, loaded when it is asked for from within another form. */
const EXCEPTIONS = new Set(['fields/relation/record-picker.tsx -> screens/form/form-dialog.tsx'])

function layerOf(file: string): number {
  const [room = '', ...rest] = file.split('/')
  if (rest.length === 0) return ORDER.indexOf('language')
  if (room === 'fields') return ORDER.indexOf(FACTS.test(file) ? 'fields' : 'parts')
  const folder = ORDER.indexOf(`${room}/${rest[0]}`)
  return folder === -1 ? ORDER.indexOf(room) : folder
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(/(?:from|import\()\s*'@\/resource\/([^']+)'/g)].flatMap(([, path = '']) =>
    ['.ts', '.tsx', '.d.ts'].map((ending) => path + ending).filter((each) => existsSync(join(ROOT, each))),
  )
}

const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file))

it('has a layer for every file of the engine', () => {
  expect(files.length).toBeGreaterThan(300)
  expect(files.filter((file) => layerOf(file) === -1)).toEqual([])
})

it('imports only downward', () => {
  const upward = files.flatMap((file) =>
    importsOf(file)
      .filter((imported) => layerOf(imported) > layerOf(file))
      .map((imported) => `${file} -> ${imported}`),
  )
  expect(upward.filter((each) => !EXCEPTIONS.has(each))).toEqual([])
  expect(upward).toHaveLength(EXCEPTIONS.size)
})

it('lists in its README each module that the console imports, and no other', () => {
  const src = resolve(ROOT, '..')
  const imported = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('resource/'))
    .flatMap((file) => [
      ...readFileSync(join(src, file), 'utf8').matchAll(/(?:from|import\()\s*'@\/resource\/([^']+)'/g),
    ])
    .map(([, module = '']) => module)
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [, table = ''] = readme.split('## Imported by the console\n')
  const listed = table.split('\n').flatMap((line) => {
    const [, room = '', modules = ''] = /^\| `?([\w-]*)`? \| (`.*) \|$/.exec(line) ?? []
    return [...modules.matchAll(/`([^`]+)`/g)].map(([, module]) =>
      room === '' ? module : `${room}/${module}`,
    )
  })
  expect(listed.toSorted()).toEqual([...new Set(imported)].toSorted())
})
