import { checkRange } from '@/resource/fields/check-text'
import type { FieldKind } from '@/resource/fields/kind'
import { isAmount } from '@/resource/fields/money/amount'

/** The column's type is `numeric(14,2)`. */
const MAX_AMOUNT = 999_999_999_999.99

export const kind: FieldKind<'money'> = {
  type: 'money',
  compare: 'number',
  columns: ['numeric'],
  filter: 'range',
  align: 'right',
  isSortable: true,
  isBigNumber: true,
  follows: ['currency'],
  validate: (value, field) => {
    if (!isAmount(value)) return { key: 'money' }
    return checkRange(value, { min: field.min ?? -MAX_AMOUNT, max: field.max ?? MAX_AMOUNT })
  },
}
