import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'
import { RecordPicker } from '@/resource/fields/relation/record-picker'
import { relatedRow } from '@/resource/query/values'

/** Nothing is given to an account that cannot sign in; filters offer every account. */
const ACTIVE = { is_deactivated: { _eq: false } }

export function Input(props: InputProps<'user'>) {
  return (
    <RecordPicker
      {...inputAttributes(props)}
      isOpenAtFirst={props.isOpenAtFirst}
      known={relatedRow(props.record, props.name)}
      to="profiles"
      where={ACTIVE}
      unfitText="picker.deactivated"
      allowClear={props.field.required !== true}
      value={typeof props.value === 'string' ? [props.value] : []}
      onChange={([id]) => props.onChange?.(id ?? null)}
    />
  )
}
