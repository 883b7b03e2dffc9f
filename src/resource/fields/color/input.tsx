import { Input as AntInput } from 'antd'
import { useTranslation } from 'react-i18next'
import { toColor } from '@/resource/fields/color/kind'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'

const FULL = /^#[0-9a-f]{6}$/

export function Input(props: InputProps<'color'>) {
  const { t } = useTranslation('engine')
  const value = typeof props.value === 'string' ? props.value : ''
  return (
    <span className="k-color k-color-input">
      <input
        type="color"
        className="k-swatch"
        aria-label={t('color.pick')}
        disabled={props.disabled}
        value={FULL.test(value) ? value : '#000000'}
        onChange={(event) => props.onChange?.(event.target.value)}
      />
      <AntInput
        {...inputAttributes(props)}
        className="k-mono"
        placeholder="#rrggbb"
        maxLength={7}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => props.onChange?.(event.target.value)}
        onBlur={() => {
          const color = toColor(value)
          if (color !== value) props.onChange?.(color)
          props.onBlur?.()
        }}
      />
    </span>
  )
}
