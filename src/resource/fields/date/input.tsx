import { DateField } from '@/resource/fields/date/date-field'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'

/** Instants are cut to their day; a text that is not a date stays whole. */
function dayOf(value: string): string {
  return value.replace(/^(\d{4}-\d\d-\d\d)T.*$/, '$1')
}

/** A moment is typed and shown in the user's time zone and stored as an instant. */
export function Input(props: InputProps<'date' | 'datetime'>) {
  const withTime = props.field.type === 'datetime'
  const value = typeof props.value === 'string' ? props.value : null
  return (
    <DateField
      {...choiceAttributes(props)}
      withTime={withTime}
      value={value === null || withTime ? value : dayOf(value)}
      onChange={(next) => props.onChange?.(next)}
      onType={props.onType ?? props.onChange}
    />
  )
}
