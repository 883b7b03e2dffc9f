import { Select } from 'antd'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'
import { useValueWord } from '@/resource/words'

export function Input(props: InputProps<'enum'>) {
  const word = useValueWord(props.resource, props.name)
  const options = Object.keys(props.field.values).map((value) => ({ value, label: word(value) }))
  return (
    <Select
      {...choiceAttributes(props)}
      value={typeof props.value === 'string' ? props.value : undefined}
      options={options}
      allowClear={props.field.required !== true}
      showSearch={options.length > 8 ? { optionFilterProp: 'label' } : false}
      onChange={(next) => props.onChange?.(next ?? null)}
    />
  )
}
