import type { FieldKind } from '@/resource/fields/kind-interface'
import { checkText } from '@/resource/fields/value-checks'

export type CodeLanguage = 'python' | 'shell' | 'powershell' | 'json' | 'plain'

const NAMES: Record<string, CodeLanguage> = {
  python: 'python',
  bash: 'shell',
  sh: 'shell',
  shell: 'shell',
  powershell: 'powershell',
  json: 'json',
}

/** `python`, or `$record.type` to follow another field; names as people write them, such as `PowerShell`. */
export function codeLanguage(given: string | undefined, record: Record<string, unknown>): CodeLanguage {
  const name = given?.startsWith('$record.') ? String(record[given.slice('$record.'.length)] ?? '') : given
  return NAMES[name?.toLowerCase() ?? ''] ?? 'plain'
}

export const kind: FieldKind<'code'> = {
  type: 'code',
  compare: 'text',
  columns: ['text'],
  filter: 'contains',
  wide: true,
  isText: true,
  keepsSpaces: true,
  isLarge: true,
  widensSection: true,
  follows: ['language'],
  validate: (value, field) => checkText(value, field.max_length),
}
