import { Select } from 'antd'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'

export function Input(props: InputProps<'rating'>) {
  const { field, value, onChange } = props
  const options = Array.from({ length: field.max ?? 5 }, (_, index) => ({
    value: index + 1,
    label: '★'.repeat(index + 1),
  }))
  return (
    <Select<number>
      {...choiceAttributes(props)}
      options={options}
      value={typeof value === 'number' ? value : undefined}
      onChange={(next?: number) => onChange?.(next ?? null)}
      allowClear={!field.required}
    />
  )
}
