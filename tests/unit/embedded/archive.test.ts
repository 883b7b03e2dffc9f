import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { unpackTo } from '../../../supabase/embedded/database/archive.mjs'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konsol-unpack-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function entry(name: string, content: string | null, prefix = ''): Buffer {
  const bytes = Buffer.from(content ?? '')
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write(bytes.length.toString(8).padStart(11, '0'), 124)
  header.write(content === null ? '5' : '0', 156)
  header.write('ustar', 257)
  header.write(prefix, 345)
  return Buffer.concat([header, bytes, Buffer.alloc(-bytes.length & 511)])
}
const packed = (...entries: Buffer[]) => gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]))

it('writes folders and files that only their owner can read', () => {
  const target = join(folder, 'pgdata')
  unpackTo(
    packed(entry('/pg_wal', null), entry('/PG_VERSION', '17\n'), entry('1255', 'x'.repeat(600), 'base/5')),
    target,
  )
  expect(statSync(join(target, 'pg_wal')).isDirectory()).toBe(true)
  expect(readFileSync(join(target, 'PG_VERSION'), 'utf8')).toBe('17\n')
  expect(readFileSync(join(target, 'base/5/1255'), 'utf8')).toBe('x'.repeat(600))
  expect(statSync(target).mode & 0o777).toBe(0o700)
  expect(statSync(join(target, 'PG_VERSION')).mode & 0o777).toBe(0o600)
})

it('writes nothing outside of its directory', () => {
  const archive = packed(entry('../outside', 'x'))
  expect(() => unpackTo(archive, join(folder, 'pgdata'))).toThrow('leaves its directory')
  expect(existsSync(join(folder, 'outside'))).toBe(false)
})

it('refuses an archive that was cut short, and other files', () => {
  const whole = entry('PG_VERSION', '17\n')
  expect(() => unpackTo(gzipSync(whole.subarray(0, 514)), folder)).toThrow('damaged')
  expect(() => unpackTo(Buffer.from('not an archive'), folder)).toThrow()
})
