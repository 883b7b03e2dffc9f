import { InputNumber } from 'antd'
import { useLanguage } from '@/i18n/use-language'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { ControlProps } from '@/resource/fields/kind'
import { parseAmount } from '@/resource/fields/money/amount'

interface NumberControlProps extends ControlProps {
  min?: number
  max?: number
  unit?: string
}

/**
 * The form reports a value out of range or with too many decimals. The control gets neither limit: it would discard
 * or round such input without an error.
 */
export function NumberControl({ unit, min, max, ...props }: NumberControlProps) {
  const language = useLanguage()
  const value = props.value === null || props.value === undefined ? null : Number(props.value)
  return (
    <InputNumber
      {...inputAttributes(props)}
      className="k-number"
      value={value}
      aria-valuemin={min}
      aria-valuemax={max}
      changeOnBlur={false}
      // antd drops a comma: 12,5 became 125.
      parser={(text) => parseAmount(text ?? '', language) ?? Number.NaN}
      suffix={unit}
      onChange={(next) => props.onChange?.(next)}
    />
  )
}
