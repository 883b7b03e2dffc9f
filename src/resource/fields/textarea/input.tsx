import { Input as AntInput } from 'antd'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'

export function Input(props: InputProps<'textarea'>) {
  const { max_length: maxLength, rows = 4 } = props.field
  return (
    <AntInput.TextArea
      {...inputAttributes(props)}
      value={typeof props.value === 'string' ? props.value : ''}
      rows={rows}
      maxLength={maxLength}
      onChange={(event) => props.onChange?.(event.target.value)}
    />
  )
}
