import type { InputProps } from '@/resource/fields/kind'
import { NumberControl } from '@/resource/fields/number-control'

export function Input(props: InputProps<'percent'>) {
  const { min = 0, max = 100 } = props.field
  return <NumberControl {...props} min={min} max={max} unit="%" />
}
