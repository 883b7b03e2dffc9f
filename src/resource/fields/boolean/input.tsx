import { Switch } from 'antd'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'

export function Input(props: InputProps<'boolean'>) {
  const { onBlur: _unused, ...attributes } = inputAttributes(props)
  return <Switch {...attributes} checked={props.value === true} onChange={(next) => props.onChange?.(next)} />
}
