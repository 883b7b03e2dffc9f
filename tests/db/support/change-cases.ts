import { expect } from 'vitest'
import type { Field } from '@/resource/language/definition.generated'

export type Fields = Record<string, Field>

export const status = { type: 'enum', values: { new: 'green', old: 'gray' } } satisfies Field
export const number = { type: 'number' } satisfies Field
export const text = { type: 'text' } satisfies Field

/** Typed where `Işık İĞ é` is there, and whether the two are one value. */
export const ALIKE: [value: string, isTaken: boolean][] = [
  ['IŞIK iğ é', true],
  ['ışık ığ É', true],
  ['işik ıĞ é', true],
  ['IŞIK İĞ É'.normalize('NFD'), true],
  [' Işık İĞ é \u00a0', true],
  ['Isik İG e', false],
]
export const date = { type: 'date' } satisfies Field

/** Field before and after, with other fields beside; a value that only the looser of the two takes. */
export const RULES: [
  what: string,
  before: Fields,
  after: Fields,
  pointer: string,
  bad: Record<string, string>,
][] = [
  ['decimals', { a: { ...number, decimals: 4 } }, { a: { ...number, decimals: 2 } }, '/a/decimals', {}],
  ['min', { a: number }, { a: { ...number, min: 1 } }, '/a/min', { a: '0' }],
  ['max', { a: number }, { a: { ...number, max: 5 } }, '/a/max', { a: '6' }],
  ['max_length', { a: text }, { a: { ...text, max_length: 3 } }, '/a/max_length', { a: "'abcd'" }],
  ['pattern', { a: text }, { a: { ...text, pattern: '^[a-z]+$' } }, '/a/pattern', { a: "'A'" }],
  ['values', { a: status }, { a: { ...status, values: { new: 'green' } } }, '/a/values', { a: "'old'" }],
  [
    'a closed list',
    { a: { type: 'tags', suggestions: ['x'] } },
    { a: { type: 'tags', suggestions: ['x'], closed: true } },
    '/a',
    { a: "'{y}'" },
  ],
  ['an address', { a: text }, { a: { type: 'ip' } }, '/a', { a: "'999.1.1.1'" }],
  ['a hardware address', { a: text }, { a: { type: 'mac' } }, '/a', { a: "'zz'" }],
  ['an e-mail address', { a: text }, { a: { type: 'email' } }, '/a', { a: "'zz'" }],
  ['a web address', { a: text }, { a: { type: 'url' } }, '/a', { a: "'javascript:1'" }],
  ['a color', { a: text }, { a: { type: 'color' } }, '/a', { a: "'red'" }],
  ['a time zone', { a: text }, { a: { type: 'timezone' } }, '/a', { a: "'Mars/Phobos'" }],
  ['a value that is required', { a: date }, { a: { ...date, required: true } }, '/a/required', { a: 'null' }],
  [
    'a text that is not blank',
    { a: { ...text, max_length: 9 } },
    { a: { ...text, max_length: 9, required: true } },
    '/a/required',
    { a: "'  '" },
  ],
  [
    'a list that is not empty',
    { a: { type: 'tags' } },
    { a: { type: 'tags', required: true } },
    '/a',
    { a: "'{}'" },
  ],
  [
    'a comparison with another field',
    { a: date, b: date },
    { a: date, b: { ...date, check: { _gte: '$record.a' } } },
    '/b/check',
    { a: "'2026-02-02'", b: "'2026-01-01'" },
  ],
  [
    'a field that is required at times',
    { a: status, b: text },
    { a: status, b: { ...text, required: true, when: { a: { _eq: 'old' } } } },
    '/b/when',
    { a: "'old'", b: "' '" },
  ],
]

export const DEFAULTS: [what: string, before: Fields, after: Fields][] = [
  ['added', { a: number }, { a: { ...number, default: -5 } }],
  ['changed', { a: { ...text, default: "it's" } }, { a: { ...text, default: 'that' } }],
  ['removed', { a: { ...date, default: '$now' } }, { a: date }],
  ['of a list', { a: { type: 'tags', default: ['a'] } }, { a: { type: 'tags', default: ['b', 'c d'] } }],
  [
    'of JSON',
    { a: { type: 'json', default: { a: 1 } } },
    { a: { type: 'json', default: { bb: 1, a: [2] } } },
  ],
]

/** A value that survives, one that does not, and what becomes of the first. */
export const TYPES: [before: Field, after: Field, good: string, bad: string | null, stored: unknown][] = [
  [number, { ...number, decimals: 2 }, '7', null, 7],
  [number, { ...number, max: 5_000_000_000 }, '7', null, 7],
  [text, number, "' 7 '", "'seven'", 7],
  [text, { type: 'money', currency: 'TRY' }, "'7.5'", "'7.555'", 7.5],
  [text, date, "'2026-01-02'", "'soon'", '2026-01-02'],
  [text, { type: 'boolean' }, "'yes'", "'perhaps'", true],
  [{ ...text, search: true, sort: 'a_key' }, number, "'7'", "'seven'", 7],
  [number, { ...text, max_length: 9, search: true }, '7', null, '7'],
  [date, { type: 'datetime' }, "'2026-01-02'", null, expect.stringContaining('2026-01-02')],
  [text, { type: 'tags' }, "'x'", null, ['x']],
  [text, { type: 'relation', to: 'devices' }, 'null', "'seven'", null],
  [{ type: 'relation', to: 'devices' }, text, 'null', null, null],
  [
    { type: 'relation', to: 'devices' },
    { ...text, max_length: 80, search: true, sort: 'a_key' },
    'null',
    null,
    null,
  ],
  [{ type: 'user' }, { ...text, max_length: 80, unique: true, default: 'x' }, 'null', null, null],
  [number, { ...text, max_length: 3 }, '123', '1234', '123'],
  [{ ...number, decimals: 2 }, { ...text, max_length: 9 }, '7.5', null, '7.50'],
  [date, { type: 'textarea', max_length: 20 }, "'2026-01-02'", null, '2026-01-02'],
  [date, { type: 'email' }, 'null', "'2026-01-02'", null],
  [
    { type: 'datetime' },
    text,
    "'2026-01-02 03:04:05+00'",
    null,
    expect.stringMatching(/^2026-01-02 03:04:05/),
  ],
  [{ type: 'boolean' }, { ...text, required: true, max_length: 5 }, 'true', null, 'true'],
  [{ type: 'json' }, { ...text, max_length: 9 }, `'{"a":1}'`, `'{"a":12345678}'`, '{"a": 1}'],
]
