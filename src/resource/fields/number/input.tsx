import type { InputProps } from '@/resource/fields/kind'
import { NumberControl } from '@/resource/fields/number-control'

export function Input(props: InputProps<'number'>) {
  const { min, max, unit } = props.field
  return <NumberControl {...props} min={min} max={max} unit={unit} />
}
