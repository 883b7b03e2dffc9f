import { spawn } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { holderPid, lockDirectory, markFinished, prepareDatabase } from '../../../supabase/embedded/data-dir'
import { generateKeys, loadKeys } from '../../../supabase/embedded/keys'
import { explainFull, replaceFile } from '../../../supabase/embedded/replace-file'
import { StartError } from '../../../supabase/embedded/start-error'

let folder: string
let said: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konsol-data-dir-'))
  said = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const prepare = () => prepareDatabase(folder, (line) => said.push(line))
const asides = () => readdirSync(folder).filter((name) => name.startsWith('pgdata.aside-'))

function putDatabase(files = ['PG_VERSION', 'global/pg_control', 'base/rows']): void {
  for (const file of files) {
    mkdirSync(join(folder, 'pgdata', file, '..'), { recursive: true })
    writeFileSync(join(folder, 'pgdata', file), file)
  }
}

describe('preparing a data directory', () => {
  it('has a database made where there is none', () => {
    expect(prepare()).toBe(true)
    expect(said).toEqual([])
  })

  it('opens a database without our marker as it is: a restored backup, a copy', () => {
    putDatabase()
    expect(prepare()).toBe(false)
    expect(readFileSync(join(folder, 'pgdata/base/rows'), 'utf8')).toBe('base/rows')
    expect(asides()).toEqual([])
  })

  it('moves aside what a killed first start left, and says where it is', () => {
    expect(prepare()).toBe(true)
    putDatabase()
    expect(prepare()).toBe(true)
    const [aside = ''] = asides()
    expect(said.join()).toContain(aside)
    expect(existsSync(join(folder, aside, 'base/rows'))).toBe(true)
    expect(existsSync(join(folder, 'pgdata'))).toBe(false)
  })

  it('moves aside what is no whole database, however it came there', () => {
    putDatabase(['PG_VERSION', 'base/rows'])
    expect(prepare()).toBe(true)
    expect(existsSync(join(folder, asides()[0] ?? '', 'base/rows'))).toBe(true)
  })

  it('opens a finished one, also when the process was killed just as it finished', () => {
    prepare()
    putDatabase()
    const starting = readFileSync(join(folder, 'starting'))
    markFinished(folder)
    writeFileSync(join(folder, 'starting'), starting)
    expect(prepare()).toBe(false)
    expect(asides()).toEqual([])
  })

  it('refuses a finished database that lost files, rather than make an empty one', () => {
    prepare()
    putDatabase()
    markFinished(folder)
    expect(prepare()).toBe(false)
    rmSync(join(folder, 'pgdata/global/pg_control'))
    expect(prepare).toThrow(/is damaged/)
    expect(existsSync(join(folder, 'pgdata/base/rows'))).toBe(true)
  })
})

describe('the lock of a data directory', () => {
  it('is taken over from a process that was killed before it wrote its name', () => {
    writeFileSync(join(folder, 'lock'), '')
    utimesSync(join(folder, 'lock'), 1, 1)
    expect(holderPid(folder)).toBeNull()
    const release = lockDirectory(folder)
    expect(readFileSync(join(folder, 'lock'), 'utf8')).toMatch(`${process.pid} `)
    release()
    expect(existsSync(join(folder, 'lock'))).toBe(false)
  })

  it('is not taken from a process that is about to write its name', () => {
    writeFileSync(join(folder, 'lock'), '')
    spawn('sh', ['-c', `printf ${process.ppid} >> lock`], { cwd: folder })
    expect(() => lockDirectory(folder)).toThrow(`in use by process ${process.ppid}`)
  })
})

describe('a file that is replaced', () => {
  it('stays as it was, without a draft beside it, when it cannot be written', () => {
    const file = join(folder, 'file')
    replaceFile(file, 'one', { mode: 0o600 })
    mkdirSync(join(folder, 'taken'))
    expect(() => replaceFile(join(folder, 'taken'), 'two')).toThrow()
    expect([readFileSync(file, 'utf8'), readdirSync(folder)]).toEqual(['one', ['file', 'taken']])
  })

  it('says that the disk is full, and what to do', () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
    expect(explainFull(full, 'a.json')).toBeInstanceOf(StartError)
    expect(explainFull(full, 'a.json')).toMatchObject({
      message: expect.stringMatching(/^The disk is full: a\.json could not be written\.\n +Free some space/),
    })
    const other = new Error('other')
    expect(explainFull(other)).toBe(other)
  })
})

describe('the keys of a data directory', () => {
  const load = () => loadKeys(folder, {}, false)
  const file = () => join(folder, 'keys.json')

  it('are made once, and readable by their owner alone', () => {
    const keys = load()
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(load()).toEqual(keys)
  })

  it.each([
    ['cut off', '{"publishableKey": "sb_pub'],
    ['empty', ''],
    ['no object', 'null'],
    ['without the secret key', JSON.stringify({ ...generateKeys(), secretKey: undefined })],
    ['with an empty key', JSON.stringify({ ...generateKeys(), jwtSecret: '' })],
  ])('are refused when the file is %s, and it stays as it is', (_, text) => {
    writeFileSync(file(), text)
    expect(load).toThrow(StartError)
    expect(load).toThrow(/keys\.json is damaged/)
    expect(readFileSync(file(), 'utf8')).toBe(text)
  })

  it('gain a key for signing agents where the file is of before it, which stays from then on', () => {
    const { agentSigningKey: _none, ...before } = generateKeys()
    writeFileSync(file(), JSON.stringify(before))
    const keys = load()
    expect(keys).toMatchObject(before)
    expect(
      createPrivateKey({ key: Buffer.from(keys.agentSigningKey, 'base64'), format: 'der', type: 'pkcs8' }),
    ).toMatchObject({
      asymmetricKeyType: 'ed25519',
    })
    expect(load()).toEqual(keys)
  })

  it('take the one for signing agents from the environment, unless it is of another kind', () => {
    const { agentSigningKey } = generateKeys()
    expect(loadKeys(folder, { AGENT_SIGNING_KEY: agentSigningKey }, false).agentSigningKey).toBe(
      agentSigningKey,
    )
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
      format: 'der',
      type: 'pkcs8',
    })
    for (const wrong of ['secret', rsa.toString('base64')])
      expect(() => loadKeys(folder, { AGENT_SIGNING_KEY: wrong }, false)).toThrow(
        /AGENT_SIGNING_KEY must be an Ed25519/,
      )
  })
})
