import type { InputProps } from '@/resource/fields/kind'
import { NumberControl } from '@/resource/fields/number-control'

export function Input(props: InputProps<'bytes'>) {
  const { min = 0, max, unit = 'B' } = props.field
  return <NumberControl {...props} min={min} max={max} unit={unit} />
}
