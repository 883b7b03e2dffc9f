import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../src/resource')

/** A file imports only from its own layer and from those before it. */
const ORDER = [
  'definition',
  'fields',
  'filter',
  'query',
  'inspect',
  'parts',
  'form',
  'actions',
  'bulk',
  'inline',
  'export',
  'import',
  'list',
  'show',
  'screens',
]

/** A kind's folder holds both: what a field of the kind is, which filters and queries ask, and how it is drawn. */
const FACTS =
  /^fields\/([^/]+\/(kind|script)|kind-interface|kinds|kinds\.generated|script-interface|scripts|scripts\.generated|value-checks|file-values|guards|related-field)\.ts$/

/** The form of a record that does not exist yet, loaded when it is asked for from within another form. */
const EXCEPTIONS = new Set(['fields/relation/record-picker.tsx -> form/form-dialog.tsx'])

function layerOf(file: string): number {
  const [folder = '', rest] = file.split('/')
  if (rest === undefined) return ORDER.indexOf('definition')
  return ORDER.indexOf(folder === 'fields' && !FACTS.test(file) ? 'parts' : folder)
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
