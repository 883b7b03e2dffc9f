import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { FIRST_LIST_GZIP } from '../support/budgets'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const FILES = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))
const isThere = (name: string) => FILES.some((file) => file === name || file.endsWith(`/${name}`))
const DOCUMENTS = FILES.filter((file) => file.endsWith('.md') && !file.startsWith('resources/removed/'))
const DECISIONS = DOCUMENTS.filter((file) => file.startsWith('docs/decisions/'))

/** Files that a reader creates by following a document, or that a command writes. */
const READERS_OWN = new Set([
  'src/pages/groups/group-screen.tsx',
  'src/pages/vendors/stars-field.tsx',
  'resources/removed/',
  'agent.mjs',
])
const FOLDER = /^(?:src|scripts|tests|supabase|agent|docs|policies|locales|resources)\//
/** Documents whose file names are checked; others name files of a reader's own project. */
const CHECKED = ['ARCHITECTURE.md', 'docs/performance.md', 'docs/extending.md', ...DECISIONS]

const inCode = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
const withoutFences = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, '')

describe('documents', () => {
  it.each(DOCUMENTS)('%s links to files that exist', (file) => {
    const links = [...withoutFences(read(file)).matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)[^)]*\)/g)]
    const dead = links
      .map(([, link = '']) => link)
      .filter((link) => !existsSync(join(root, dirname(file), link)))
    expect(dead).toEqual([])
  })

  it.each(CHECKED)('%s names files that exist', (file) => {
    const dead = inCode(withoutFences(read(file))).filter((name) => {
      if (READERS_OWN.has(name) || /[<*{ ]/.test(name)) return false
      if (FOLDER.test(name)) return !existsSync(join(root, name))
      return /^[\w/-]+(?:\.\w+)*\.(?:tsx?|mjs|css|sql|csv|conf)$/.test(name) && !isThere(name)
    })
    expect(dead).toEqual([])
  })

  it('ARCHITECTURE.md stays within 10 kB and has no dates', () => {
    const text = read('ARCHITECTURE.md')
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_000)
    expect(text).not.toMatch(/\b20\d\d-\d\d-\d\d\b/)
  })

  it('every area of decisions is in their index', () => {
    const areas = DECISIONS.map((file) => file.replace('docs/decisions/', '')).filter(
      (name) => name !== 'README.md',
    )
    const listed = [...read('docs/decisions/README.md').matchAll(/^\| \[([\w.-]+)\]/gm)].map(
      ([, name]) => name,
    )
    expect(areas.length).toBeGreaterThan(8)
    expect([...listed].sort()).toEqual([...areas].sort())
  })

  it.each(DECISIONS)('%s has no dates and no line twice', (file) => {
    const lines: string[] = read(file).match(/^- .+$/gm) ?? []
    expect(lines.filter((line) => /\b20\d\d-\d\d-\d\d\b/.test(line))).toEqual([])
    expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([])
  })

  it('the budget of the first list in docs/performance.md is that of its test', () => {
    const [, budget] = /opened by its address, gzip \| (\d+) kB/.exec(read('docs/performance.md')) ?? []
    expect(Number(budget) * 1000).toBe(FIRST_LIST_GZIP)
  })

  it('the measured parts in docs/performance.md are those that the build leaves out', () => {
    const source = read('scripts/support/without-unused.ts')
    const [, body = ''] = /const UNUSED[\s\S]*? = \{\n([\s\S]*?)\n\}\n/.exec(source) ?? []
    const parts = [...body.matchAll(/^ {2}'?([\w@./-]+?)'?: \{/gm)].map(([, part]) => part)
    const table = /\| part \|[\s\S]*?\n\n/.exec(read('docs/performance.md'))?.[0] ?? ''
    const listed = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, part]) => part)
    expect(parts.length).toBeGreaterThan(5)
    expect([...listed].sort()).toEqual([...parts].sort())
  })
})

/** Options that the reference explains and no example on the two pages uses. A new option belongs on a page, not here. */
const WITHOUT_EXAMPLE =
  `activity after_create after_create_tab as automatic between children closed column component constraint
  copy counts create_below_list critical decimals default_filter default_view delete duplicate empty exit_code far free
  grants group grouping help id import language languages live local_when lock matching max may message near needs no
  no_overlap opens over page_object page_size parent partial pattern phrases record relative repeatable requires route
  section singular solved steps suggest suggestions tab_urls table tabs tenant thresholds through total unique
  used view warn_days warning where width with yes`.split(/\s+/)

function namedKeys(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { properties?: object }
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(namedKeys)]
}

it('each option of a definition is used by an example that a test builds, but for those listed here', () => {
  const examples = ['docs/features.md', 'docs/tutorial.md']
    .flatMap((file) => read(file).match(/^```json[\s\S]*?^```$/gm) ?? [])
    .join('\n')
  const keys = new Set(namedKeys(JSON.parse(read('resources/resource.schema.json'))))
  const unused = [...keys].filter((key) => !key.startsWith('_') && !examples.includes(`"${key}":`))
  expect(unused.sort()).toEqual(WITHOUT_EXAMPLE)
})
