import { isTooDeep, parseJson } from '../database/json-body.mjs'
import { authError } from './auth-error'

export type AuthBody = Record<string, unknown>

/** PostgreSQL stores neither: an unpaired surrogate is no character, and NUL ends its strings. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what is looked for
const UNSTORABLE = /\u0000|\p{Surrogate}/u

const invalid = (message: string) => authError(400, 'validation_failed', message)

const isStorable = (value: unknown): boolean => {
  if (typeof value === 'string') return !UNSTORABLE.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, each]) => isStorable(key) && isStorable(each))
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Fields that must be text when they are given. */
const TEXTS = [
  'email',
  'password',
  'current_password',
  'refresh_token',
  'token',
  'token_hash',
  'type',
  'scope',
] as const

/** The request's JSON object, or the 400 GoTrue answers. lite reads these fields unchecked and fails with a 500. */
export function readAuthBody(raw: Uint8Array | null): AuthBody | Response {
  if (!raw || raw.byteLength === 0) return {}
  if (isTooDeep(raw)) return authError(400, 'bad_json', 'The request is nested too deep')
  const body = parseJson(raw)
  if (!body) return authError(400, 'bad_json', 'Could not parse request body as JSON')
  const wrong = TEXTS.find((name) => name in body && typeof body[name] !== 'string')
  if (wrong) return invalid(`${wrong} must be a string`)
  if ('data' in body && !isObject(body.data)) return invalid('data must be an object')
  if (!isStorable(body)) return invalid('The request contains characters that cannot be stored')
  return body
}

/** A field as text; empty when it is missing. */
export const textOf = (body: AuthBody, name: string): string => {
  const value = body[name]
  return typeof value === 'string' ? value : ''
}

export const emailOf = (body: AuthBody): string => textOf(body, 'email').trim().toLowerCase()

/** The shape lite asks for, and what the database has room for. */
export const isEmail = (email: string): boolean =>
  email.length <= 255 && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)
