import type { InputProps } from '@/resource/fields/kind'
import { LineInput } from '@/resource/fields/line-input'

export function Input(props: InputProps<'email'>) {
  return <LineInput {...props} type="email" />
}
