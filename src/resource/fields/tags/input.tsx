import { Select } from 'antd'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'

export function Input(props: InputProps<'tags'>) {
  const value = Array.isArray(props.value) ? props.value.map(String) : []
  return (
    <Select
      {...inputAttributes(props)}
      mode="tags"
      value={value}
      options={(props.field.suggestions ?? []).map((tag) => ({ value: tag, label: tag }))}
      tokenSeparators={[',', ';']}
      onChange={(next: string[]) => props.onChange?.(next.map((tag) => tag.trim()).filter(Boolean))}
    />
  )
}
