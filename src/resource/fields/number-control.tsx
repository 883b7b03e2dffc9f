import { InputNumber } from 'antd'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { ControlProps } from '@/resource/fields/kind'

interface NumberControlProps extends ControlProps {
  min?: number
  max?: number
  decimals: number
  unit?: string
}

/**
 * Out of range is said by the form in words. The control is not told the range: it would keep to itself what
 * was typed beyond it, and the value before would stand.
 */
export function NumberControl({ decimals, unit, min, max, ...props }: NumberControlProps) {
  const value = props.value === null || props.value === undefined ? null : Number(props.value)
  return (
    <InputNumber
      {...inputAttributes(props)}
      className="k-number"
      value={value}
      aria-valuemin={min}
      aria-valuemax={max}
      changeOnBlur={false}
      precision={decimals}
      suffix={unit}
      onChange={(next) => props.onChange?.(next)}
    />
  )
}
