import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { FIELD_TYPES } from '#definition-validator'
import type { FieldType } from '@/resource/fields/kind-interface'
import { kindOf } from '@/resource/fields/kinds'
import { KINDS } from '@/resource/fields/kinds.generated'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Files that name the same words for something else. */
const NOT_ABOUT_KINDS: Readonly<Record<string, string>> = {
  'src/app/keyboard/pressed-key.ts': 'types of HTML inputs',
  'scripts/schema/create.ts': 'keys of statements',
  'src/runs/start/parameters.ts': 'kinds of script parameters',
  'src/resource/language/compare-as.ts': 'ways to compare values, one of which each kind names',
  'src/resource/request/filter/predicate.ts': 'compares in these ways',
}

function namedKinds(code: string): string[] {
  const text = code.replace(/typeof [^=!]+[!=]==? '\w+'/g, '')
  return FIELD_TYPES.filter((type) => text.includes(`'${type}'`))
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /(?<!\.generated)\.(ts|tsx|mjs)$/.test(file))
}

describe('a field kind', () => {
  it('is described in its own folder: no other file lists kinds', () => {
    const lists = [...sources('src'), ...sources('scripts')].flatMap((file) => {
      if (file.startsWith('src/resource/fields/') || file in NOT_ABOUT_KINDS) return []
      const named = namedKinds(readFileSync(join(root, file), 'utf8'))
      return named.length >= 3 ? [`${file} names ${named.join(', ')}`] : []
    })
    expect(lists, 'state a fact of the kind in its `kind.ts`, and ask kindOf(type) for it').toEqual([])
  })

  it('is not listed beside the kinds either', () => {
    const shared = sources('src/resource/fields').filter((file) => file.split('/').length === 4)
    const lists = shared.filter((file) => namedKinds(readFileSync(join(root, file), 'utf8')).length >= 3)
    // The cells of a file have kinds of their own.
    expect(lists).toEqual(['src/resource/fields/file-values.ts'])
  })

  it('is its facts, its view and its script: a further file of its folder is loaded late or shared', () => {
    const folders = readdirSync(join(root, 'src/resource/fields'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `src/resource/fields/${name}`)
    expect(folders.length).toBeGreaterThan(10)
    for (const folder of folders) {
      const files = sources(folder).map((file) => file.slice(folder.length + 1))
      expect(files, folder).toEqual(expect.arrayContaining(['kind.ts', 'view.tsx', 'script.ts']))
    }
  })

  it('has an input exactly where a person may fill it in', () => {
    const folders = readdirSync(join(root, 'src/resource/fields'))
    for (const type of FIELD_TYPES) {
      const { derived = false, input = type } = kindOf(type as FieldType)
      const hasInput =
        folders.includes(input) && existsSync(join(root, 'src/resource/fields', input, 'input.tsx'))
      expect([type, hasInput]).toEqual([type, !derived])
    }
  })

  it('has facts under its own name', () => {
    for (const [type, kind] of Object.entries(KINDS)) expect(kind.type).toBe(type)
  })

  it('leaves its script to the scripts: no page loads options and SQL', () => {
    const loads = [...sources('src')].filter(
      (file) =>
        !/^src\/resource\/fields\/([^/]+\/script|scripts?-interface|scripts)\.ts$/.test(file) &&
        /from '@\/resource\/fields\/([\w-]+\/script|script-interface|scripts)'/.test(
          readFileSync(join(root, file), 'utf8'),
        ),
    )
    expect(loads).toEqual([])
  })
})
