import { Input as AntInput } from 'antd'
import { inputAttributes, shownText } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'
import { LimitCounter } from '@/ui/limit-counter'

export function Input(props: InputProps<'text'>) {
  const value = shownText(props.value)
  return (
    <>
      <AntInput
        {...inputAttributes(props)}
        value={value}
        maxLength={props.field.max_length}
        onChange={(event) => props.onChange?.(event.target.value)}
      />
      {/* A text of a fixed form has its own check: reaching its length is no warning. */}
      <LimitCounter
        length={value.length}
        max={props.field.pattern === undefined ? props.field.max_length : undefined}
      />
    </>
  )
}
