import { InputNumber, Input as TextInput } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLanguage } from '@/i18n/use-language'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { ControlProps, InputProps } from '@/resource/fields/kind-interface'
import { parseAmount } from '@/resource/fields/money/kind'
import { useDurationText } from '@/resource/fields/number/duration-text'
import { limitsOf, UNIT_SECONDS } from '@/resource/fields/number/kind'
import { parseDuration } from '@/resource/fields/number/typed-duration'

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

/** Takes a span of time as people write it, and shows all of it once it has been read. */
function DurationInput({ field, value, ...props }: InputProps<'duration'>) {
  const { t } = useTranslation('engine')
  const durationText = useDurationText()
  const { unit = 's', in_hours: inHours } = field
  const size = UNIT_SECONDS[unit]
  /** The text while it is typed, and as long as nobody can read it. */
  const [typed, setTyped] = useState<string | null>(null)
  const read = (text: string): number | null => {
    if (text.trim() === '') return null
    const seconds = parseDuration(text, unit)
    return seconds === null ? Number.NaN : seconds / size
  }
  const isSet = value !== null && value !== undefined && value !== '' && !Number.isNaN(Number(value))
  // Whoever takes back the changes of the form takes back this text too.
  const isTyped = typed !== null && !(isSet && Number.isNaN(read(typed)))
  return (
    <TextInput
      {...inputAttributes(props)}
      value={isTyped ? typed : isSet ? durationText(Number(value) * size, { inHours, isWhole: true }) : ''}
      placeholder={t('duration.example')}
      autoComplete="off"
      onChange={({ target }) => {
        setTyped(target.value)
        props.onChange?.(read(target.value))
      }}
      onBlur={() => {
        if (typed !== null && !Number.isNaN(read(typed))) setTyped(null)
        props.onBlur?.()
      }}
    />
  )
}

export function Input(props: InputProps<'number' | 'bytes' | 'percent' | 'duration'>) {
  const { field } = props
  if (field.type === 'duration') return <DurationInput {...props} field={field} />
  const { min, max } = limitsOf(field)
  const units = { bytes: 'B', percent: '%', number: undefined }
  const unit = ('unit' in field ? field.unit : undefined) ?? units[field.type]
  return <NumberControl {...props} min={min} max={max} unit={unit} />
}
