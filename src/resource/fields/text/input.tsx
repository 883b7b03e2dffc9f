import { Input as AntInput } from 'antd'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'

export function Input(props: InputProps<'text'>) {
  return (
    <AntInput
      {...inputAttributes(props)}
      value={typeof props.value === 'string' ? props.value : ''}
      maxLength={props.field.max_length}
      onChange={(event) => props.onChange?.(event.target.value)}
    />
  )
}
