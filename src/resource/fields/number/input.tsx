import { InputNumber } from 'antd'
import { useTranslation } from 'react-i18next'
import { useLanguage } from '@/i18n/use-language'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { ControlProps, InputProps } from '@/resource/fields/kind-interface'
import { parseAmount } from '@/resource/fields/money/kind'
import { limitsOf } from '@/resource/fields/number/kind'

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

export function Input(props: InputProps<'number' | 'bytes' | 'percent' | 'duration'>) {
  const { t } = useTranslation('engine')
  const { field } = props
  const { min, max } = limitsOf(field)
  const units = { bytes: 'B', percent: '%', duration: t('units.seconds'), number: undefined }
  const unit = ('unit' in field ? field.unit : undefined) ?? units[field.type]
  return <NumberControl {...props} min={min} max={max} unit={unit} />
}
