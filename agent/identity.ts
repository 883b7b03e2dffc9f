import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord, readJson, textFile, writeDurably } from './files'

/** The machine's identity at the console. The secret is worth the machine: the file is 0600, in a 0700 folder. */
export interface Identity {
  url: string
  key: string | null
  deviceId: string
  secret: string
  /** The public key by which updates of the agent are signed; null until the server has told it. */
  signingKey: string | null
}

const fileIn = (dataDir: string): string => join(dataDir, 'device.json')

export function readIdentity(dataDir: string): Identity | null {
  const value = readJson(fileIn(dataDir))
  if (!isRecord(value)) return null
  const { url, key, deviceId, secret, signingKey } = value
  if (typeof url !== 'string' || typeof deviceId !== 'string' || typeof secret !== 'string') return null
  return {
    url,
    deviceId,
    secret,
    key: typeof key === 'string' ? key : null,
    signingKey: typeof signingKey === 'string' ? signingKey : null,
  }
}

export function writeIdentity(dataDir: string, identity: Identity): void {
  writeDurably(fileIn(dataDir), `${JSON.stringify(identity, null, 2)}\n`)
}

/** Placeholder ids of images and boards, which many machines share. */
const isPlaceholder = (id: string | null): boolean =>
  id !== null &&
  /^(uninitialized|(.)\2*|03000200040005000006000700080009|00020003000400050006000700080009)$/i.test(
    id.replaceAll('-', ''),
  )

/**
 * Constant for the life of an installation, and not the raw id, which systemd asks to keep confidential. A
 * machine without an id (some containers) gets one stored in the data directory.
 */
export function machineId(dataDir: string, given: string | null, systemId: string | null): string {
  if (given !== null) return given
  // An enrolled machine keeps the id it is known by.
  let id = isPlaceholder(systemId) && !existsSync(fileIn(dataDir)) ? null : systemId
  const file = join(dataDir, 'machine-id')
  if (id === null || isPlaceholder(id)) {
    id = textFile(file)?.trim() || id
    if (id === null) {
      id = randomUUID()
      writeDurably(file, `${id}\n`)
    }
  }
  return createHash('sha256').update(`konsol-agent:${id.toLowerCase()}`).digest('hex')
}
