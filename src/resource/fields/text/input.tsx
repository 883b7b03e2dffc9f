import { Input as AntInput } from 'antd'
import { inputAttributes, shownText } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'
import { LimitCounter } from '@/ui/text-field'

/** The keyboard that a phone shows for machine-readable text: no capital letters, no corrections. */
const KEYBOARDS = { email: 'email', url: 'url', ip: 'text', mac: 'text' } as const

export function Input(props: InputProps<'text' | 'textarea' | keyof typeof KEYBOARDS>) {
  const { field, onChange } = props
  const value = shownText(props.value)
  const shared = {
    ...inputAttributes(props),
    value,
    onChange: (event: { target: { value: string } }) => onChange?.(event.target.value),
  }
  if (field.type !== 'text' && field.type !== 'textarea')
    return (
      <AntInput
        {...shared}
        inputMode={KEYBOARDS[field.type]}
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
      />
    )
  const { max_length: maxLength } = field
  // A text of a fixed form has its own check: reaching its length is no warning.
  const hasPattern = field.type === 'text' && field.pattern !== undefined
  return (
    <>
      {field.type === 'text' ? (
        <AntInput {...shared} maxLength={maxLength} />
      ) : (
        <AntInput.TextArea {...shared} rows={field.rows ?? 4} maxLength={maxLength} />
      )}
      <LimitCounter length={value.length} max={hasPattern ? undefined : maxLength} />
    </>
  )
}
