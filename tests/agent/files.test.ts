import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { writeDurably } from '../../agent/files'

/** How many bytes each write takes; beyond the list all of them. An error code fails the write. */
let takes: (number | string)[] = []

const { writeSync } = fs
const cutShort = (file: number, bytes: Buffer, offset = 0): number => {
  const next = takes.shift() ?? bytes.length - offset
  if (typeof next === 'string') throw Object.assign(new Error(next), { code: next })
  return next === 0 ? 0 : writeSync(file, bytes, offset, Math.min(next, bytes.length - offset))
}

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konsol-files-'))
  path = join(folder, 'entry.json')
  writeFileSync(path, 'old')
  vi.spyOn(fs, 'writeSync').mockImplementation(cutShort as typeof writeSync)
  // Modules that imported `writeSync` by name get the mock too.
  syncBuiltinESMExports()
})
afterEach(() => {
  takes = []
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  rmSync(folder, { recursive: true, force: true })
})

describe('writeDurably', () => {
  it('goes on after a short write', () => {
    takes = [1, 2]
    writeDurably(path, 'a new entry, ışık')
    expect(readFileSync(path, 'utf8')).toBe('a new entry, ışık')
  })

  it.each([
    ['is full at once', ['ENOSPC']],
    ['is full after a part', [4, 'ENOSPC']],
    ['takes nothing and says so only by its count', [4, 0]],
  ])('keeps what was there when the disk %s', (_what, writes) => {
    takes = writes
    expect(() => writeDurably(path, 'a new entry')).toThrow()
    expect(readFileSync(path, 'utf8')).toBe('old')
    expect(readdirSync(folder)).toEqual(['entry.json'])
  })
})
