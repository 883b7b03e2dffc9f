import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isCurrent, stampOf } from '../../../scripts/support/build-all'

const BUILT_AT = Date.UTC(2026, 0, 2)
const BOATS = 'locales/en/resources/boats.json'
let root: string
const write = (name: string, at: number) => {
  writeFileSync(join(root, name), name)
  utimesSync(join(root, name), new Date(at), new Date(at))
}
const isBuilt = () => isCurrent(join(root, 'stamp'), ['src', 'locales'], root)

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'konsol-build-'))
  for (const folder of ['src/data', 'locales/en/resources'])
    mkdirSync(join(root, folder), { recursive: true })
  const before = BUILT_AT - 1000
  for (const name of [
    'src/main.ts',
    'src/old.ts',
    'src/data/database.types.ts',
    'locales/en/auth.json',
    BOATS,
  ])
    write(name, before)
  writeFileSync(join(root, 'stamp'), stampOf(BUILT_AT, ['src', 'locales'], root))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('a build is current until a source changes, is added or is removed', () => {
  expect(isBuilt()).toBe(true)
  write('src/main.ts', BUILT_AT + 1000)
  expect(isBuilt()).toBe(false)
  write('src/main.ts', BUILT_AT - 1000)
  expect(isBuilt()).toBe(true)
  rmSync(join(root, 'src/old.ts'))
  expect(isBuilt()).toBe(false)
  write('src/old.ts', BUILT_AT - 1000)
  write('src/new.ts', BUILT_AT - 1000)
  expect(isBuilt()).toBe(false)
})

it('what an administrator adds by the commands asks for no build', () => {
  const sails = 'locales/en/resources/sails.json'
  for (const name of ['src/data/database.types.ts', BOATS, sails]) write(name, BUILT_AT + 1000)
  expect(isBuilt()).toBe(true)
  rmSync(join(root, BOATS))
  expect(isBuilt()).toBe(true)
  write('locales/en/auth.json', BUILT_AT + 1000)
  expect(isBuilt()).toBe(false)
})
