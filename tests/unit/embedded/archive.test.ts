import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { unpackTo, withoutSpareWal } from '../../../supabase/embedded/database/archive.mjs'

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

it('leaves out the segments of the log that are kept to be filled again', () => {
  const segment = (n: number) => `00000001000000000000000${n}`
  const tar = Buffer.concat([
    entry('/pg_wal', null),
    ...[1, 2, 3, 4].map((n) => entry(`/pg_wal/${segment(n)}`, 'x')),
    entry('/pg_wal/archive_status', null),
    entry('/PG_VERSION', '17\n'),
    Buffer.alloc(1024),
  ])
  unpackTo(gzipSync(withoutSpareWal(tar, { first: segment(2), last: segment(3) })), folder)
  expect(readdirSync(join(folder, 'pg_wal')).sort()).toEqual([segment(2), segment(3), 'archive_status'])
  expect(readFileSync(join(folder, 'PG_VERSION'), 'utf8')).toBe('17\n')
})
