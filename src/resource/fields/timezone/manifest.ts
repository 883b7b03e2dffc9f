import type { FieldKind } from '@/resource/fields/kind'
import { isTimeZone } from '@/resource/fields/timezone/zones'

export const kind: FieldKind<'timezone'> = {
  type: 'timezone',
  compare: 'text',
  columns: ['text', 'varchar'],
  filter: 'contains',
  isText: true,
  commitsOnChange: true,
  validate: (value) => (isTimeZone(String(value)) ? null : { key: 'timezone' }),
}
