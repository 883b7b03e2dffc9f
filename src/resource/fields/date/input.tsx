import { DateField } from '@/resource/fields/date-field'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'

export function Input(props: InputProps<'date'>) {
  return (
    <DateField
      {...choiceAttributes(props)}
      value={typeof props.value === 'string' ? dayOf(props.value) : null}
      onChange={(value) => props.onChange?.(value)}
      onType={props.onType ?? props.onChange}
    />
  )
}

/** Instants are cut to their day; a text that is not a date stays whole. */
function dayOf(value: string): string {
  return value.replace(/^(\d{4}-\d\d-\d\d)T.*$/, '$1')
}
