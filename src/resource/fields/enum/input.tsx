import { Select } from 'antd'
import { useCan } from '@/access/use-can'
import { useValueWord } from '@/resource/definition/words'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'

export function Input(props: InputProps<'enum'>) {
  const word = useValueWord(props.resource, props.name)
  const can = useCan()
  const { values, needs } = props.field
  const mayChoose = (value: string) => {
    const policy = needs?.[value]
    // A stored value keeps its name, whatever the user may choose.
    return policy === undefined || value === props.value || can(policy.object, policy.verb).allowed
  }
  const options = Object.keys(values)
    .filter(mayChoose)
    .map((value) => ({ value, label: word(value) }))
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
