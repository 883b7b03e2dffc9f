import { Select } from 'antd'
import { useAllRoles } from '@/access/roles'
import { useValueWord } from '@/resource/definition/words'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'

export function Input(props: InputProps<'role'>) {
  const word = useValueWord(props.resource, props.name)
  const options = useAllRoles()
    // A stored role stays listed, even if the user may not grant it.
    .filter(({ name, isGrantable }) => isGrantable || name === props.value)
    .map(({ name }) => ({ value: name, label: word(name) }))
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
