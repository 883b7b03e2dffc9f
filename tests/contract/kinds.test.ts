import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { FIELD_TYPES } from '#definition-validator'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Files that name the same words for something else. */
const NOT_ABOUT_KINDS: Readonly<Record<string, string>> = {
  'src/runs/start/parameters.ts': 'kinds of script parameters',
  'src/resource/definition/compare-as.ts': 'ways to compare values, one of which each kind names',
  'src/resource/filter/predicate.ts': 'compares in these ways',
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
    expect(lists, 'state a fact of the kind in its manifest, and ask kindOf(type) for it').toEqual([])
  })

  it('is not listed beside the kinds either', () => {
    const shared = sources('src/resource/fields').filter((file) => file.split('/').length === 4)
    const lists = shared.filter((file) => namedKinds(readFileSync(join(root, file), 'utf8')).length >= 3)
    // The three of this file are input modes of a phone's keyboard.
    expect(lists).toEqual(['src/resource/fields/line-input.tsx'])
  })
})
