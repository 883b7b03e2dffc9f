import { allRoles } from '@/access/roles'
import {
  type FileCell,
  type ReadValue,
  type ValuePlace,
  withoutGuard,
  writeText,
} from '@/resource/fields/file-values'
import type { KindFamily } from '@/resource/fields/kind-interface'

const FILE = {
  write: (value: unknown, { words, resource, name }: Pick<ValuePlace, 'words' | 'resource' | 'name'>) =>
    writeText(words.value(resource, name, String(value))),
  read: (cell: FileCell): ReadValue => {
    const value = cell.choice(withoutGuard(cell.text).trim())
    return value === undefined ? { problem: { key: 'choice' } } : { value }
  },
}

const CHOICE = {
  compare: 'text',
  filter: 'choice',
  commitsOnChange: true,
  input: 'enum',
  file: FILE,
} as const

export const kinds: KindFamily<'enum' | 'role'> = {
  enum: {
    ...CHOICE,
    type: 'enum',
    columns: ['text', 'varchar'],
    isKey: true,
    validate: (value, field) => (Object.hasOwn(field.values, String(value)) ? null : { key: 'choice' }),
    choices: ({ values }) => ({ known: Object.keys(values), isClosed: true }),
  },
  role: {
    ...CHOICE,
    type: 'role',
    columns: ['text'],
    validate: (value) => (allRoles().some(({ name }) => name === value) ? null : { key: 'choice' }),
    hasSharedWords: true,
    choices: () => {
      const known = allRoles().map(({ name }) => name)
      // A build checks definitions without knowing the roles.
      return known.length > 0 ? { known, isClosed: true } : null
    },
  },
}
