import type { Row } from '@/data/rows'
import { type ValuePlace, writeList, writeText } from '@/resource/fields/file-values'
import type { KindFamily } from '@/resource/fields/kind-interface'

const RECORD = { compare: 'text', minWidth: 104, filter: 'record', input: 'relation' } as const
const KEY_FILE = {
  write: (_key: unknown, place: Pick<ValuePlace, 'relatedTitle'>) => writeText(place.relatedTitle()),
}

export const kinds: KindFamily<'relation' | 'user' | 'many-to-many'> = {
  relation: {
    ...RECORD,
    type: 'relation',
    columns: ['uuid', 'text'],
    isKey: true,
    commitsOnChange: true,
    target: (field) => field.to,
    file: KEY_FILE,
  },
  user: {
    ...RECORD,
    type: 'user',
    columns: ['uuid'],
    commitsOnChange: true,
    target: () => 'people',
    file: KEY_FILE,
  },
  'many-to-many': {
    ...RECORD,
    type: 'many-to-many',
    columns: [],
    wide: true,
    detached: true,
    empty: [],
    isList: true,
    target: (field) => field.to,
    file: {
      write: (value, { field, titleOf }) =>
        Array.isArray(value) ? writeList(value.map((other: Row) => titleOf(field.to, other))) : null,
    },
  },
}
