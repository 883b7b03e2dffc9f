import { DateField } from '@/resource/fields/date-field'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'

/** Typed and shown in the user's time zone, stored as an instant. */
export function Input(props: InputProps<'datetime'>) {
  return (
    <DateField
      {...choiceAttributes(props)}
      withTime
      value={typeof props.value === 'string' ? props.value : null}
      onChange={(value) => props.onChange?.(value)}
      onType={props.onType ?? props.onChange}
    />
  )
}
