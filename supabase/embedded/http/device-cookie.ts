import { createHmac, randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { jwtVerify, SignJWT } from 'jose'
import type { Backend, Env } from './context'

const COOKIE = 'konsol_device'
const YEAR_SECONDS = 365 * 24 * 3600
/** A shared machine remembers the accounts that signed in there last. */
const MAX_ACCOUNTS = 8

/** A browser in which accounts have signed in before. */
export interface Device {
  id: string
  /** Keyed hashes of e-mail addresses, newest first. */
  accounts: readonly string[]
}

const keyOf = ({ keys }: Backend): Buffer =>
  createHmac('sha256', keys.jwtSecret).update('device cookie').digest()

const accountHash = (backend: Backend, email: string): string =>
  createHmac('sha256', keyOf(backend)).update(email).digest('base64url').slice(0, 22)

/** The device that a valid cookie names; null without such a cookie. */
export async function readDevice(c: Context<Env>, backend: Backend): Promise<Device | null> {
  const cookie = getCookie(c, COOKIE)
  if (!cookie) return null
  try {
    const { payload } = await jwtVerify(cookie, keyOf(backend), { algorithms: ['HS256'], audience: COOKIE })
    const { jti, accounts } = payload
    if (!jti || !Array.isArray(accounts)) return null
    return { id: jti, accounts: accounts.filter((account): account is string => typeof account === 'string') }
  } catch {
    return null
  }
}

export const isKnownDevice = (backend: Backend, device: Device | null, email: string): device is Device =>
  device?.accounts.includes(accountHash(backend, email)) === true

/**
 * Remembers that this account signed in here. The cookie grants no access: its bearer only is not slowed down
 * while strangers guess the account's password. It is signed with a separate key, so it is never accepted as
 * an access token.
 */
export async function rememberDevice(
  c: Context<Env>,
  backend: Backend,
  device: Device | null,
  email: string,
): Promise<void> {
  const own = accountHash(backend, email)
  const accounts = [own, ...(device?.accounts ?? []).filter((account) => account !== own)].slice(
    0,
    MAX_ACCOUNTS,
  )
  const value = await new SignJWT({ accounts })
    .setProtectedHeader({ alg: 'HS256' })
    .setJti(device?.id ?? randomUUID())
    .setAudience(COOKIE)
    .setExpirationTime(`${YEAR_SECONDS}s`)
    .sign(keyOf(backend))
  setCookie(c, COOKIE, value, {
    httpOnly: true,
    sameSite: 'Strict',
    secure: backend.siteUrl.startsWith('https://'),
    path: '/auth/v1',
    maxAge: YEAR_SECONDS,
  })
}
