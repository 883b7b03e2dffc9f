import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from './start-error'

export interface Keys {
  publishableKey: string
  secretKey: string
  jwtSecret: string
}

const random = (bytes: number) => randomBytes(bytes).toString('base64url')

export const generateKeys = (): Keys => ({
  publishableKey: `sb_publishable_${random(24)}`,
  secretKey: `sb_secret_${random(32)}`,
  jwtSecret: random(48),
})

/** Distinct characters tell `aaaa…` and `changeme…` from something drawn at random; length alone does not. */
export const isWeak = (secret: string): boolean =>
  secret.length < 32 ||
  new Set(secret).size < 12 ||
  /change.?me|secret|password|example/i.test(secret.replace(/^sb_secret_/, ''))

function stored(file: string): Partial<Keys> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Partial<Keys>
  } catch {
    return {}
  }
}

/**
 * The keys of one data directory: from the environment, else from its key file, else made now and kept there.
 * @throws StartError when a secret of the environment is weak and the server would be reachable from outside.
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
  const file = join(directory, 'keys.json')
  const known = stored(file)
  const made = { ...generateKeys(), ...known }
  if (Object.keys(known).length < 3) {
    writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 })
    chmodSync(file, 0o600)
  }
  return {
    publishableKey: given.publishableKey ?? made.publishableKey,
    secretKey: given.secretKey ?? made.secretKey,
    jwtSecret: given.jwtSecret ?? made.jwtSecret,
  }
}
