import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, it } from 'vitest'

const SOURCE = resolve(import.meta.dirname, '../../src')
const PAGES = join(SOURCE, 'pages')

const REMEDY =
  'A folder of src/pages imports no other. Move the file that both need: about runs on devices to src/runs, without knowledge of the product to src/ui, and anything else to the lowest layer that has what it imports.'

/** The sources of a folder of `src`, by their path in `src`. */
const filesOf = (folder: string): string[] =>
  readdirSync(join(SOURCE, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.(tsx?|css)$/.test(file))

const files = filesOf('pages').map((file) => file.slice('pages/'.length))

const folderOf = (file: string): string => file.split('/')[0] ?? ''

/** The files of `src/pages` that a source imports, by their path in it. */
function pagesIn(source: string, file: string): string[] {
  const specifiers = [...source.matchAll(/(?:\bfrom|\bimport|\bimport\(|@import)\s*['"]([^'"]+)['"]/g)]
  return specifiers.flatMap(([, specifier = '']) => {
    const path = specifier.startsWith('@/')
      ? join(SOURCE, specifier.slice(2))
      : specifier.startsWith('.')
        ? resolve(PAGES, dirname(file), specifier)
        : null
    if (path === null) return []
    const inPages = relative(PAGES, path).replaceAll('\\', '/')
    return inPages.startsWith('..') ? [] : [inPages]
  })
}

it('an import of another folder is found in each of its forms', () => {
  const source = [
    "import { a } from '@/pages/jobs/a'",
    "import { b } from '../jobs/b'",
    "const c = () => import('@/pages/jobs/c')",
    "import '@/pages/jobs/d.css'",
    "export { e } from './e'",
    "import { f } from '@/runs/f'",
  ].join('\n')
  expect(pagesIn(source, 'devices/x.tsx')).toEqual(['jobs/a', 'jobs/b', 'jobs/c', 'jobs/d.css', 'devices/e'])
})

it('a folder of src/pages imports no sibling', () => {
  expect(files.length).toBeGreaterThan(100)
  const crossing = files.flatMap((file) =>
    pagesIn(readFileSync(join(PAGES, file), 'utf8'), file)
      .filter((imported) => folderOf(imported) !== folderOf(file))
      .map((imported) => `${file} -> ${imported}`),
  )
  expect(crossing, REMEDY).toEqual([])
})

it('a table of antd is drawn by DataTable alone, and a list of records by the engine', () => {
  const drawing = ['pages', 'runs', 'resource', 'app']
    .flatMap(filesOf)
    .filter((file) => /<Table\b|\bTable\b[^}]*\} from 'antd'/.test(readFileSync(join(SOURCE, file), 'utf8')))
  expect(
    drawing,
    'Show records by PartList of src/resource/screens; what it does not fit, by DataTable.',
  ).toEqual([])
})

/** The parts of `QueryState`, which decides between them. */
const STATES = /import \{[^}]*\b(ErrorState|LoadingState)\b[^}]*\} from '@\/ui\//

it('a page leaves the states of a query to QueryState', () => {
  const sources = [...filesOf('pages'), ...filesOf('runs')]
  const ladders = sources.filter((file) => STATES.test(readFileSync(join(SOURCE, file), 'utf8')))
  expect(ladders, 'Return `<QueryState query={query} />` of src/resource while there is no data.').toEqual([])
})

/** Inline styles whose value comes from data or a prop, by file; the one of a dialog moves antd's own box. */
const COMPUTED_STYLES: Record<string, number> = {
  'pages/agents/version-spread.tsx': 1,
  'pages/dashboard/attention.tsx': 1,
  'pages/dashboard/operating-systems.tsx': 1,
  'pages/patches/compliance-panel.tsx': 1,
  'pages/tickets/portal-list.tsx': 1,
  'pages/tickets/side-parts.tsx': 1,
  'pages/tickets/ticket-settings-page.tsx': 1,
  'runs/output/output-view.tsx': 3,
  'runs/progress/exit-code-bars.tsx': 1,
  'runs/progress/job-progress.tsx': 1,
}

it('a page has an inline style only where its value is computed', () => {
  const counts = [...filesOf('pages'), ...filesOf('runs')].flatMap((file) => {
    const count = readFileSync(join(SOURCE, file), 'utf8').match(/\bstyle=/g)?.length ?? 0
    return count > 0 ? [[file, count]] : []
  })
  expect(
    Object.fromEntries(counts),
    'Use a class of the CSS file of the folder, or of src/ui/layout.css. Only a value that is computed stays inline, and is listed here.',
  ).toEqual(COMPUTED_STYLES)
})
