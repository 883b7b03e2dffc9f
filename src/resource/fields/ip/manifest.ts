import type { FieldKind } from '@/resource/fields/kind'

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

export const kind: FieldKind<'ip'> = {
  type: 'ip',
  compare: 'text',
  columns: ['text', 'inet'],
  filter: 'contains',
  isTitle: true,
  isKey: true,
  isText: true,
  validate: (value) => (isAddress(String(value).trim()) ? null : { key: 'ip' }),
}
