import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from './replace-file'
import { StartError } from './start-error'

export interface Keys {
  publishableKey: string
  secretKey: string
  jwtSecret: string
  /** Signs what agents update themselves to: an Ed25519 private key, PKCS #8 in base64. */
  agentSigningKey: string
}

/** A file of before agents updated themselves has no key to sign with. */
export type StoredKeys = Omit<Keys, 'agentSigningKey'> & Partial<Pick<Keys, 'agentSigningKey'>>

const random = (bytes: number) => randomBytes(bytes).toString('base64url')

const generateSigningKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')

const isSigningKey = (text: string): boolean => {
  try {
    const key = createPrivateKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'pkcs8' })
    return key.asymmetricKeyType === 'ed25519'
  } catch {
    return false
  }
}

export const generateKeys = (): Keys => ({
  publishableKey: `sb_publishable_${random(24)}`,
  secretKey: `sb_secret_${random(32)}`,
  jwtSecret: random(48),
  agentSigningKey: generateSigningKey(),
})

/** Distinct characters tell `aaaa…` and `changeme…` from something drawn at random; length alone does not. */
export const isWeak = (secret: string): boolean =>
  secret.length < 32 ||
  new Set(secret).size < 12 ||
  /change.?me|secret|password|example/i.test(secret.replace(/^sb_secret_/, ''))

const NAMES = ['publishableKey', 'secretKey', 'jwtSecret'] as const

export const keysFile = (directory: string): string => join(directory, 'keys.json')

/** @throws StartError for a text that does not hold all keys. */
export function parseKeys(text: string, name: string): StoredKeys {
  let found: Partial<Record<string, unknown>> = {}
  try {
    found = { ...(JSON.parse(text) as object) }
  } catch {
    // Said below.
  }
  const missing = NAMES.filter((key) => typeof found[key] !== 'string' || found[key] === '')
  if (missing.length > 0)
    throw new StartError(
      `${name} is damaged: ${missing.join(', ')} cannot be read. Restore the file from a backup. Moving it away makes ` +
        'new keys, which signs everybody out and disconnects every agent.',
    )
  if (found.agentSigningKey !== undefined && !isSigningKey(String(found.agentSigningKey)))
    throw new StartError(
      `${name} is damaged: agentSigningKey is no Ed25519 key. Restore the file from a backup: with another key, agents ` +
        'refuse updates until they are installed again.',
    )
  return found as unknown as StoredKeys
}

function stored(file: string): StoredKeys | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new StartError(`${file} cannot be read: ${(error as Error).message}`)
  }
  return parseKeys(text, file)
}

export const writeKeys = (file: string, keys: StoredKeys): void =>
  replaceFile(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })

/**
 * The keys of one data directory: from the environment, else from its key file, else made now and kept there.
 * @throws StartError when a secret of the environment is weak and the server would be reachable from outside, or is no
 * key to sign with, and when the key file is damaged.
 */
export function loadKeys(directory: string, env: NodeJS.ProcessEnv, reachable: boolean): Keys {
  const given: Partial<Keys> = {
    publishableKey: env.SUPABASE_PUBLISHABLE_KEY || undefined,
    secretKey: env.SUPABASE_SECRET_KEY || undefined,
    jwtSecret: env.JWT_SECRET || undefined,
  }
  for (const [name, value] of [
    ['JWT_SECRET', given.jwtSecret],
    ['SUPABASE_SECRET_KEY', given.secretKey],
  ] as const)
    if (value && reachable && isWeak(value))
      throw new StartError(
        `${name} is too weak for a server others can reach: give at least 32 random characters, or leave it out.`,
      )
  const signingKey = env.AGENT_SIGNING_KEY || undefined
  if (signingKey !== undefined && !isSigningKey(signingKey))
    throw new StartError('AGENT_SIGNING_KEY must be an Ed25519 private key: PKCS #8, DER, in base64.')
  const file = keysFile(directory)
  const known = stored(file)
  const made: Keys = { ...generateKeys(), ...known }
  if (known?.agentSigningKey === undefined) writeKeys(file, made)
  return {
    publishableKey: given.publishableKey ?? made.publishableKey,
    secretKey: given.secretKey ?? made.secretKey,
    jwtSecret: given.jwtSecret ?? made.jwtSecret,
    agentSigningKey: signingKey ?? made.agentSigningKey,
  }
}
