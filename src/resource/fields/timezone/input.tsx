import { Select } from 'antd'
import { useMemo } from 'react'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'
import { zoneChoices } from '@/resource/fields/timezone/kind'

/** Four hundred formatted offsets take a while: once a form, not once a keystroke. */
export function Input(props: InputProps<'timezone'>) {
  const options = useMemo(() => zoneChoices(new Date()), [])
  return (
    <Select
      {...choiceAttributes(props)}
      className="k-full"
      showSearch={{ optionFilterProp: 'label' }}
      allowClear={props.field.required !== true}
      options={options}
      value={typeof props.value === 'string' && props.value !== '' ? props.value : undefined}
      onChange={(next: string | undefined) => props.onChange?.(next ?? null)}
    />
  )
}
