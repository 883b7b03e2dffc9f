import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../../..')

describe('a packed command', () => {
  let root: string
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const run = (...words: string[]) =>
    execFileSync(process.execPath, [join(root, 'scripts/run.mjs'), 'greet', ...words], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'konsol-run-'))
    mkdirSync(join(root, 'scripts'))
    cpSync(join(ROOT, 'scripts/run.mjs'), join(root, 'scripts/run.mjs'))
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction')
    for (const path of ['package.json', 'tsconfig.json']) write(path, '{}')
    write('scripts/greet/words.ts', "export const WORD: string = 'Hello'")
    write(
      'scripts/greet.ts',
      `const { WORD } = await import('./greet/words')
       console.log([WORD, ...process.argv.slice(2)].join(' '), new URL('../..', import.meta.url).pathname)`,
    )
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  it('gets its words, finds the project, and is packed once', () => {
    expect(run('you', '--all')).toBe(`Hello you --all ${root}/\n`)
    const before = readdirSync(join(root, 'supabase/.temp/commands'))
    expect(before).toHaveLength(2)
    expect(run()).toBe(`Hello ${root}/\n`)
    expect(readdirSync(join(root, 'supabase/.temp/commands'))).toEqual(before)
  })

  it('follows a source that changed, and one that breaks ends the command', () => {
    write('scripts/greet/words.ts', "export const WORD: string = 'Good day'")
    expect(run()).toBe(`Good day ${root}/\n`)
    write('scripts/greet/words.ts', 'export const WORD: string = ')
    expect(() => run()).toThrow(/Unexpected end of file/)
    write('scripts/greet/words.ts', "export const WORD: string = 'Hello'")
    expect(run()).toBe(`Hello ${root}/\n`)
  })
})

it('each packed command finds the files of the project: nothing that it writes is stale', () => {
  const run = (...words: string[]) =>
    execFileSync(process.execPath, ['scripts/run.mjs', ...words], { cwd: ROOT, encoding: 'utf8' })
  const schema = readFileSync(join(ROOT, 'resources/resource.schema.json'), 'utf8')
  expect(run('resource', 'types')).toContain('kinds.generated.ts')
  expect(readFileSync(join(ROOT, 'resources/resource.schema.json'), 'utf8')).toBe(schema)
  expect(run('database-types', '--check')).toBe('')
  expect(run('schema', '--check')).toContain('The migrations make what the schemas say')
  expect(run('policies', '--check')).toContain('The migrations match policies/')
})
