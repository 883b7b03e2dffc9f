import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import manifest from '../../package.json'

const ROOT = resolve(import.meta.dirname, '../..')
const FOLDERS = ['src', 'scripts', 'supabase/embedded', 'agent', 'tests', 'docs/examples']
const SOURCE = /\.(ts|tsx|mjs)$/

/** The text of each source file, by its path. */
function readTree(): Map<string, string> {
  const paths = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      `${folder}/${path}`.replaceAll('\\', '/'),
    ),
  )
  const sources = paths.filter((path) => SOURCE.test(path) && !path.includes('node_modules'))
  return new Map(sources.map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]))
}

const OWN: Readonly<Record<string, string>> = manifest.imports

/**
 * The files that a file needs before it runs. A type is gone by then, and a part that `import()` loads when it is shown
 * finds its importer complete. A registry's `import.meta.glob` is not followed: the cell of a list of rows asks the
 * registry of cells, which holds it, but only when it is drawn.
 */
function importsOf(file: string, files: ReadonlyMap<string, string>): string[] {
  const statements = (files.get(file) ?? '').matchAll(
    /^(?:import|export) (?!type\b)(?:[^'"`;=]*? from )?'([^']+)'/gm,
  )
  return [...statements].flatMap(([, name = '']) => {
    const path = OWN[name] ?? name.replace(/^@\//, 'src/')
    const at = path.startsWith('.') && !OWN[name] ? join(file, '..', path) : join(path)
    const found = ['', '.ts', '.tsx', '.mjs', '/index.ts'].find((ending) => files.has(at + ending))
    return found === undefined ? [] : [at + found]
  })
}

/** The circles that a walk along the imports meets, at least one of each knot of files. */
function circlesOf(files: ReadonlyMap<string, string>): string[] {
  const circles: string[] = []
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file)
    if (start >= 0) circles.push([...path.slice(start), file].join(' -> '))
    if (start >= 0 || done.has(file)) return
    for (const imported of importsOf(file, files)) visit(imported, [...path, file])
    done.add(file)
  }
  for (const file of files.keys()) visit(file, [])
  return circles
}

it('an import circle is found through an alias, several lines, an export and a bare import', () => {
  const circle = (first: string, second: string) =>
    circlesOf(
      new Map([
        ['src/a.ts', first],
        ['src/b/b.tsx', second],
      ]),
    )
  const back = `import '../a'\n`
  expect(circle(`import { b } from '@/b/b'\n`, back)).toEqual(['src/a.ts -> src/b/b.tsx -> src/a.ts'])
  expect(circle(`import {\n  b,\n  c,\n} from './b/b'\n`, back)).toHaveLength(1)
  expect(circle(`export { b } from './b/b'\n`, back)).toHaveLength(1)
  expect(circle(`import type { B } from './b/b'\n`, back)).toEqual([])
  expect(circle(`const b = () => import('./b/b')\n`, back)).toEqual([])
})

it('no file imports itself through others', () => {
  const files = readTree()
  expect(files.size).toBeGreaterThan(1000)
  expect(importsOf('src/data/rows.ts', files)).toContain('src/data/keyset.ts')
  expect(circlesOf(files)).toEqual([])
})
