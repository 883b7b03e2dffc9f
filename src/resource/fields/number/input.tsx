import type { InputProps } from '@/resource/fields/kind'
import { NumberControl } from '@/resource/fields/number-control'

export function Input(props: InputProps<'number'>) {
  const { min, max, decimals = 0, unit } = props.field
  return <NumberControl {...props} min={min} max={max} decimals={decimals} unit={unit} />
}
