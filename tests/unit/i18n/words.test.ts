import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const read = (language: string, file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../locales/${language}/${file}`, import.meta.url), 'utf8'))

function leaves(value: unknown, path = ''): Map<string, string> {
  if (typeof value === 'string') return new Map([[path, value]])
  return new Map(
    Object.entries(value as Record<string, unknown>).flatMap(([key, child]) => [
      ...leaves(child, path ? `${path}.${key}` : key),
    ]),
  )
}

const slots = (text: string): string[] =>
  [...text.matchAll(/\{\{\s*([\w.]+)[^}]*\}\}/g)].map((m) => m[1] ?? '').sort()

const files = readdirSync(new URL('../../../locales/en', import.meta.url))

describe.each(files)('the words of %s', (file) => {
  const english = leaves(read('en', file))
  const turkish = leaves(read('tr', file))

  it('have the same keys in both languages', () => {
    expect([...turkish.keys()].sort()).toEqual([...english.keys()].sort())
  })

  it('are all said, and filled with the same values', () => {
    for (const [key, text] of english) {
      expect(text.trim(), key).not.toBe('')
      expect(turkish.get(key)?.trim(), key).not.toBe('')
      expect(slots(turkish.get(key) ?? ''), key).toEqual(slots(text))
    }
  })
})
