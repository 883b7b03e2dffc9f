import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'
import { RecordPicker } from '@/resource/fields/relation/record-picker'
import { relatedRow } from '@/resource/query/values'

export function Input(props: InputProps<'user'>) {
  return (
    <RecordPicker
      {...inputAttributes(props)}
      isOpenAtFirst={props.isOpenAtFirst}
      known={relatedRow(props.record, props.name)}
      to="profiles"
      allowClear={props.field.required !== true}
      value={typeof props.value === 'string' ? [props.value] : []}
      onChange={([id]) => props.onChange?.(id ?? null)}
    />
  )
}
