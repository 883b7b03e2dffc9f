import { Input as AntInput } from 'antd'
import { inputAttributes, shownText } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'
import { LimitCounter } from '@/ui/limit-counter'

export function Input(props: InputProps<'textarea'>) {
  const { max_length: maxLength, rows = 4 } = props.field
  const value = shownText(props.value)
  return (
    <>
      <AntInput.TextArea
        {...inputAttributes(props)}
        value={value}
        rows={rows}
        maxLength={maxLength}
        onChange={(event) => props.onChange?.(event.target.value)}
      />
      <LimitCounter length={value.length} max={maxLength} />
    </>
  )
}
