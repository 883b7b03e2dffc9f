import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'
import { RecordPicker } from '@/resource/fields/relation/record-picker'

export function Input(props: InputProps<'user'>) {
  return (
    <RecordPicker
      {...inputAttributes(props)}
      to="profiles"
      allowClear={props.field.required !== true}
      value={typeof props.value === 'string' ? [props.value] : []}
      onChange={([id]) => props.onChange?.(id ?? null)}
    />
  )
}
