import type { FieldKind } from '@/resource/fields/kind'

export const kind: FieldKind<'user'> = { type: 'user', compare: 'text', columns: ['uuid'], filter: 'record' }
