import { describe, expect, it } from 'vitest'
import { errorKeys, errorText } from '@/data/error-text'
import {
  BusyError,
  CheckError,
  ConflictError,
  DeniedError,
  DuplicateError,
  GoneError,
  LinkError,
  OfflineError,
  RateLimitError,
  SessionError,
  toDataError,
  UnknownError,
} from '@/data/errors'
import errors from '../../../locales/en/errors.json'
import rules from '../../../locales/en/rules.json'

const cases = [
  { from: { code: '42501', message: 'no', hint: 'read-only' }, to: DeniedError, key: 'denied.read-only' },
  { from: { code: '42501', message: 'no', hint: 'whatever' }, to: DeniedError, key: 'denied.role' },
  { from: { code: '42501', message: 'no', hint: 'own_version' }, to: DeniedError, key: 'rules:own_version' },
  { from: { code: '42501', message: 'no', hint: 'session' }, to: SessionError, key: 'session' },
  { from: { code: '23505', message: 'dup', details: '' }, to: DuplicateError, key: 'duplicate' },
  { from: { code: '23503', message: 'fk', details: '' }, to: LinkError, key: 'reference' },
  { from: { code: '23514', message: 'check' }, to: CheckError, key: 'check' },
  { from: { code: '23514', message: 'no', hint: 'patches_none' }, to: CheckError, key: 'rules:patches_none' },
  { from: { code: '23514', message: 'no', hint: 'unheard_of' }, to: CheckError, key: 'check' },
  { from: { code: '23502', message: 'null' }, to: CheckError, key: 'required' },
  { from: { code: '22001', message: 'long' }, to: CheckError, key: 'tooLong' },
  { from: { code: '22P02', message: 'uuid' }, to: CheckError, key: 'check' },
  { from: { code: 'PT409', message: 'lock' }, to: ConflictError, key: 'conflict' },
  { from: { code: 'PGRST116', message: 'none' }, to: GoneError, key: 'gone' },
  { from: { code: '57014', message: 'timeout' }, to: BusyError, key: 'busy' },
  { from: { code: '40P01', message: 'deadlock' }, to: BusyError, key: 'busy' },
  { from: { code: 'PGRST301', message: 'jwt' }, to: SessionError, key: 'session' },
  { from: new TypeError('Failed to fetch'), to: OfflineError, key: 'offline' },
  { from: { code: 'P0001', message: 'told so' }, to: UnknownError, key: null },
]

describe('errorKeys', () => {
  it('names the rule of a hint, and the class where the rule has no text', () => {
    for (const hint of Object.keys(rules)) expect(hint).toMatch(/^[a-z_]+$/)
    expect(errorKeys(toDataError({ code: '23514', message: 'no', hint: 'patches_none' }))).toEqual([
      'rules:patches_none',
      'check',
    ])
    expect(errorKeys(toDataError({ code: '23514', message: 'no', hint: 'Perhaps you meant: x.y' }))).toEqual([
      'check',
    ])
  })
})

describe('toDataError', () => {
  it.each(cases)('$from.code $from.message', ({ from, to, key }) => {
    const error = toDataError(from)
    expect(error).toBeInstanceOf(to)
    const text = (name: string) =>
      name
        .replace(':', '.')
        .split('.')
        .reduce<unknown>((part, each) => (part as Record<string, unknown> | undefined)?.[each], {
          ...errors,
          rules,
        })
    expect(errorKeys(error).find((name) => text(name) !== undefined) ?? null).toBe(key)
  })

  it('goes by the HTTP status where there is no code', () => {
    expect(toDataError({ message: '' }, 429)).toBeInstanceOf(RateLimitError)
    expect(toDataError({ message: '' }, 401)).toBeInstanceOf(SessionError)
    expect(toDataError({ message: '' }, 503)).toBeInstanceOf(OfflineError)
    expect(toDataError({ message: '' }, 403)).toBeInstanceOf(DeniedError)
  })

  it('tells an ended session from a refused role', () => {
    const refusal = { code: '42501', message: 'permission denied for table groups' }
    expect(toDataError(refusal, 401)).toBeInstanceOf(SessionError)
    expect(toDataError(refusal, 403)).toBeInstanceOf(DeniedError)
  })

  it('finds the column that is to blame, never the tenant', () => {
    const duplicate = toDataError({
      code: '23505',
      message: 'duplicate key',
      details: 'Key (company_id, name)=(1, Muhasebe) already exists.',
    })
    expect(duplicate).toMatchObject({ column: 'name' })
    const folded = 'Key (company_id, lower(name))=(1, muhasebe) already exists.'
    expect(toDataError({ code: '23505', message: 'duplicate key', details: folded })).toMatchObject({
      column: 'name',
    })
    const check = toDataError({
      code: '23514',
      message: 'new row for relation "devices" violates check constraint "devices_name_check"',
    })
    expect(check).toMatchObject({ constraint: 'devices_name_check' })
    const missing = toDataError({
      code: '23502',
      message: 'null value in column "serial" of relation "printers"',
    })
    expect(missing).toMatchObject({ column: 'serial' })
  })

  it('leaves a classified error as it is', () => {
    const error = new GoneError('gone')
    expect(toDataError(error)).toBe(error)
  })
})

describe('errorText', () => {
  const translate = ([key]: string[]) => `<${key}>`
  it('names the group and the policy that keep a field, the character that hides, and the account with too many links', () => {
    const named = ([key]: string[], values?: Readonly<Record<string, string>>) =>
      `${key} ${JSON.stringify(values)}`
    const held = { group: 'Kiosks', policy: 'No scripts' }
    for (const [hint, values] of [
      ['field_of_policy', held],
      ['hidden_characters', { character: 'U+202E', line: '3' }],
      ['links_too_many', { email: 'a@acme.test' }],
    ] as const)
      expect(errorText({ code: '23514', message: 'x', hint, details: JSON.stringify(values) }, named)).toBe(
        `rules:${hint} ${JSON.stringify(values)}`,
      )
  })

  it('says the known class, else the server’s words, else the fallback', () => {
    expect(errorText({ code: '23505', message: 'x' }, translate)).toBe('<duplicate>')
    expect(errorText({ code: 'P0001', message: 'told so' }, translate)).toBe('told so')
    expect(errorText({}, translate, 'fallback')).toBe('fallback')
    // A failed server's own words stay out of the page.
    expect(errorText(toDataError({ code: 'SUP', message: 'at handler.ts' }, 500), translate)).toBe(
      '<unknown>',
    )
    expect(errorText({}, translate)).toBe('<unknown>')
  })
})
