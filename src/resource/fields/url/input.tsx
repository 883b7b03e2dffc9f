import type { InputProps } from '@/resource/fields/kind'
import { LineInput } from '@/resource/fields/line-input'

export function Input(props: InputProps<'url'>) {
  return <LineInput {...props} type="url" />
}
