import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { makePrivate, openDataDirectory, secureDirectory } from '../../../supabase/embedded/private-files'
import { StartError } from '../../../supabase/embedded/start-error'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konsol-private-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const mode = (path: string) => (statSync(join(folder, path)).mode & 0o777).toString(8)

function put(path: string, fileMode = 0o644): void {
  mkdirSync(join(folder, path, '..'), { recursive: true, mode: 0o755 })
  chmodSync(join(folder, path, '..'), 0o755)
  writeFileSync(join(folder, path), path)
  chmodSync(join(folder, path), fileMode)
}

describe('the modes of a data directory', () => {
  it('are taken from other accounts wherever data lies', () => {
    const files = [
      'keys.json',
      'keys.json.aside-2026-11-26T10-00-00-000Z',
      'definitions.json',
      'pgdata/base/1/1259',
      'pgdata/pg_wal/000000010000000000000001',
      'pgdata.aside-2026-11-26T10-00-00-000Z/PG_VERSION',
      'pgdata.restoring/PG_VERSION',
      'packages/5ae8a3a2-0000-4000-8000-000000000000',
      'files/5ae8a3a2-0000-4000-8000-000000000000/5ae8a3a2-0000-4000-8000-000000000001',
      'konsol-20261126-100000.zip',
    ]
    for (const file of files) put(file, 0o664)
    chmodSync(folder, 0o755)
    secureDirectory(folder)
    expect(mode('.')).toBe('700')
    for (const file of files) expect([file, mode(file)]).toEqual([file, '600'])
    for (const path of ['pgdata', 'pgdata/base', 'pgdata/base/1', 'pgdata/pg_wal', 'packages', 'files'])
      expect([path, mode(path)]).toEqual([path, '700'])
  })

  it('are left alone for files that are not ours', () => {
    put('reports/summary.csv')
    put('pgdata/PG_VERSION')
    mkdirSync(join(folder, 'elsewhere'), { mode: 0o755 })
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'pgdata', 'link'))
    secureDirectory(folder)
    expect([mode('reports'), mode('reports/summary.csv'), mode('elsewhere')]).toEqual(['755', '644', '755'])
  })

  it.each(['packages', 'files'])('are set where %s lie on another disk by a link', (name) => {
    const disk = mkdtempSync(join(tmpdir(), 'konsol-disk-'))
    writeFileSync(join(disk, 'package'), '')
    chmodSync(disk, 0o755)
    symlinkSync(disk, join(folder, name))
    secureDirectory(folder)
    expect(statSync(disk).mode & 0o777).toBe(0o700)
    expect(statSync(join(disk, 'package')).mode & 0o777).toBe(0o600)
    rmSync(disk, { recursive: true })
  })

  it('are left alone behind a link that nobody makes to move the database or the packages', () => {
    const tree = mkdtempSync(join(tmpdir(), 'konsol-tree-'))
    onTestFinished(() => rmSync(tree, { recursive: true }))
    mkdirSync(join(tree, 'folder'), { mode: 0o755 })
    writeFileSync(join(tree, 'folder', 'file'), '', { mode: 0o644 })
    for (const path of ['', 'folder']) chmodSync(join(tree, path), 0o755)
    chmodSync(join(tree, 'folder', 'file'), 0o644)
    for (const name of ['packages.old', 'pgdata.aside-1', 'control.json', 'konsol-1.zip'])
      symlinkSync(name.endsWith('json') ? join(tree, 'folder', 'file') : tree, join(folder, name))
    put('packages/package')
    symlinkSync(tree, join(folder, 'packages', 'pgdata'))
    secureDirectory(folder)
    const modes = ['', 'folder', 'folder/file'].map((path) => statSync(join(tree, path)).mode & 0o777)
    expect(modes).toEqual([0o755, 0o755, 0o644])
    expect(mode('packages/package')).toBe('600')
  })

  it('that a file system does not keep stop the start', () => {
    if (!existsSync('/proc/self/status')) return
    expect(() => makePrivate('/proc/self/status')).toThrow(/status is open to other accounts .* 600/)
  })
})

describe('a data directory', () => {
  /** Root can give a folder away; everybody else finds one of root's. */
  const foreign = (): string => {
    if (process.getuid?.() !== 0) return '/'
    chownSync(folder, 65_534, 65_534)
    return folder
  }

  it('of another account is refused before anything is written into it', () => {
    const path = foreign()
    expect(() => openDataDirectory(path)).toThrow(StartError)
    expect(() => openDataDirectory(path)).toThrow('belongs to another account of this machine')
    expect(existsSync(join(path, 'lock'))).toBe(false)
  })

  it('with a database of another account is refused', () => {
    if (process.getuid?.() !== 0) return
    put('pgdata/PG_VERSION')
    chownSync(join(folder, 'pgdata'), 65_534, 65_534)
    expect(() => openDataDirectory(folder)).toThrow(/pgdata belongs to another account/)
    expect(existsSync(join(folder, 'lock'))).toBe(false)
  })

  it.each(['pgdata', 'packages', 'packages.old', 'keys.json'])(
    'with a link %s that another account made is refused, and what it leads to is left alone',
    (name) => {
      if (process.getuid?.() !== 0) return
      const tree = mkdtempSync(join(tmpdir(), 'konsol-tree-'))
      onTestFinished(() => rmSync(tree, { recursive: true }))
      chmodSync(tree, 0o755)
      symlinkSync(tree, join(folder, name))
      lchownSync(join(folder, name), 65_534, 65_534)
      expect(() => openDataDirectory(folder)).toThrow(`${name} belongs to another account`)
      expect(statSync(tree).mode & 0o777).toBe(0o755)
    },
  )

  it('with a folder of another account somewhere in the database is refused', () => {
    if (process.getuid?.() !== 0) return
    put('pgdata/base/1/1259')
    chownSync(join(folder, 'pgdata/base/1'), 65_534, 65_534)
    expect(() => openDataDirectory(folder)).toThrow(/base\/1 belongs to another account/)
  })

  it('that several accounts share is refused', () => {
    chmodSync(folder, 0o1777)
    expect(() => openDataDirectory(folder)).toThrow('several accounts share')
  })

  it('keeps the files of others private while it is open', () => {
    const before = process.umask()
    const close = openDataDirectory(folder)
    writeFileSync(join(folder, 'made-by-a-library'), '')
    close()
    expect(mode('made-by-a-library')).toBe('600')
    expect(process.umask()).toBe(before)
  })
})
