import { allRoles } from '@/access/roles'
import { CHOICE_FILE } from '@/resource/fields/file-values'
import type { FieldKind } from '@/resource/fields/kind-interface'

export const kind: FieldKind<'role'> = {
  type: 'role',
  compare: 'text',
  columns: ['text'],
  filter: 'choice',
  commitsOnChange: true,
  validate: (value) => (allRoles().some(({ name }) => name === value) ? null : { key: 'choice' }),
  hasSharedWords: true,
  choices: () => {
    const known = allRoles().map(({ name }) => name)
    // A build checks definitions without knowing the roles.
    return known.length > 0 ? { known, isClosed: true } : null
  },
  file: CHOICE_FILE,
}
