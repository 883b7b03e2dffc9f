import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'
import { RecordPicker } from '@/resource/fields/relation/record-picker'
import { relatedRow } from '@/resource/request/query/values'

/** Nothing is given to an account that cannot sign in; filters offer every account. */
const ACTIVE_USERS = {
  to: 'people',
  where: { is_deactivated: { _eq: false } },
  unfitText: 'picker.deactivated',
} as const

/** The value of a many-to-many field is the list of chosen ids; the form writes the difference into the table between. */
export function Input(props: InputProps<'relation' | 'user' | 'many-to-many'>) {
  const { field, record, value, onChange } = props
  const companyId = typeof record.company_id === 'string' ? record.company_id : null
  const offered =
    field.type === 'user' || field.to === 'users'
      ? ACTIVE_USERS
      : { to: field.to, where: field.where, record, companyId, canAdd: true }
  if (field.type === 'many-to-many')
    return (
      <RecordPicker
        {...inputAttributes(props)}
        {...offered}
        multiple
        value={Array.isArray(value) ? value.map(String) : []}
        onChange={(ids) => onChange?.(ids)}
      />
    )
  return (
    <RecordPicker
      {...inputAttributes(props)}
      {...offered}
      isOpenAtFirst={props.isOpenAtFirst}
      known={relatedRow(record, props.name)}
      allowClear={field.required !== true}
      value={typeof value === 'string' ? [value] : []}
      onChange={([id]) => onChange?.(id ?? null)}
    />
  )
}
