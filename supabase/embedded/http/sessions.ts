import { errors, jwtVerify, SignJWT } from 'jose'
import { sql } from 'kysely'
import type { Backend } from './context'

export const ACCESS_TOKEN_SECONDS = 3600

export interface Claims {
  userId: string
  sessionId: string
  /** Seconds since 1970. */
  expiresAt: number
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** jose and lite skip blanks inside a token, so that one session would have many spellings. */
const TOKEN = /^[A-Za-z0-9._-]+$/
const BEARER = /^Bearer +([A-Za-z0-9._-]+)$/i

/** The claims of one of our own access tokens; null when it is not valid any more, or never was. */
export async function readToken(token: string, jwtSecret: string): Promise<Claims | null> {
  if (!TOKEN.test(token)) return null
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(jwtSecret), { algorithms: ['HS256'] })
    const { sub, session_id: sessionId, exp } = payload
    if (typeof sub !== 'string' || !UUID.test(sub)) return null
    if (typeof sessionId !== 'string' || !UUID.test(sessionId) || typeof exp !== 'number') return null
    return { userId: sub, sessionId, expiresAt: exp }
  } catch (error) {
    if (error instanceof errors.JOSEError) return null
    throw error
  }
}

/** An access token with the claims lite gives its own. */
export function writeToken(
  { userId, sessionId, email }: { userId: string; sessionId: string; email: string },
  jwtSecret: string,
): Promise<string> {
  return new SignJWT({
    sub: userId,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    session_id: sessionId,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt()
    .setExpirationTime(`${ACCESS_TOKEN_SECONDS}s`)
    .sign(new TextEncoder().encode(jwtSecret))
}

/** Null without a header, and for one that is not a single well-formed token. */
export const bearer = (headers: Headers): string | null =>
  BEARER.exec(headers.get('authorization') ?? '')?.[1] ?? null

/** Whoever reads the request after us reads the token that we read, or no header at all. */
export function normalizeAuthorization(headers: Headers): void {
  const token = bearer(headers)
  if (token === null) headers.delete('authorization')
  else headers.set('authorization', `Bearer ${token}`)
}

/**
 * Whether the session is alive and its account not banned. lite accepts a token until it expires, even after
 * its session has ended. For use inside the queue; checked on each request, so that an ended session ends at
 * once.
 */
export async function isSessionAlive(backend: Backend, { userId, sessionId }: Claims): Promise<boolean> {
  const { rows } = await sql`
    select 1 from auth.sessions s join auth.users u on u.id = s.user_id
    where s.id = ${sessionId} and s.user_id = ${userId} and u.deleted_at is null
      and (s.not_after is null or s.not_after > now())
      and (u.banned_until is null or u.banned_until < now())`.execute(backend.core.database.connection.kysely)
  return rows.length > 0
}
