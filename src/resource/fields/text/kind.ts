import type { KindFamily } from '@/resource/fields/kind-interface'
import { checkPattern, checkText } from '@/resource/fields/value-checks'

/** Mail servers take these addresses in practice; the mail that arrives is the real check. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/
/** An address that is safe to link to: never `javascript:`. */
const WEB_ADDRESS = /^https?:\/\/[^\s/?#]+\S*$/i
const MAC = /^[0-9a-f]{2}([:-][0-9a-f]{2}){5}$/i
const OCTET = '(25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const V4 = new RegExp(`^${OCTET}(\\.${OCTET}){3}$`)

function isV6(text: string): boolean {
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  const last = groups.at(-1)
  const mixed = last !== undefined && V4.test(last)
  const hex = mixed ? groups.slice(0, -1) : groups
  const count = hex.length + (mixed ? 2 : 0)
  return (
    hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) && (halves.length === 2 ? count < 8 : count === 8)
  )
}

export function isAddress(text: string): boolean {
  return V4.test(text) || isV6(text)
}

const TEXT = { compare: 'text', filter: 'contains', isText: true, input: 'text' } as const
const LINE = { ...TEXT, isTitle: true, isKey: true } as const

export const kinds: KindFamily<'text' | 'textarea' | 'email' | 'url' | 'ip' | 'mac'> = {
  text: {
    ...LINE,
    type: 'text',
    minWidth: 96,
    columns: ['text', 'varchar', 'bpchar', 'citext', 'uuid'],
    keepsSpaces: true,
    validate: (value, field) => checkText(value, field.max_length, field.pattern),
    choices: ({ suggestions }) => (suggestions ? { known: suggestions, isClosed: false } : null),
    companions: ({ record }) => (record ? [record.table, record.id] : []),
  },
  textarea: {
    ...TEXT,
    type: 'textarea',
    minWidth: 120,
    columns: ['text', 'varchar', 'bpchar', 'citext'],
    wide: true,
    keepsSpaces: true,
    isMultiline: true,
    validate: (value, field) => checkText(value, field.max_length),
  },
  email: {
    ...LINE,
    type: 'email',
    minWidth: 120,
    columns: ['text', 'varchar'],
    validate: (value, field) => checkPattern(value, EMAIL, 'email', field.max_length ?? 255),
  },
  url: {
    ...LINE,
    type: 'url',
    minWidth: 120,
    columns: ['text', 'varchar'],
    validate: (value, field) => checkPattern(value, WEB_ADDRESS, 'url', field.max_length ?? 2000),
  },
  ip: {
    ...LINE,
    type: 'ip',
    columns: ['text', 'inet'],
    validate: (value) => (isAddress(String(value).trim()) ? null : { key: 'ip' }),
  },
  mac: {
    ...LINE,
    type: 'mac',
    columns: ['text', 'macaddr'],
    validate: (value) => checkPattern(value, MAC, 'mac', 23),
  },
}
