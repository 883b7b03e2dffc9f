import { Input as AntInput } from 'antd'
import { useState } from 'react'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'
import { isAmount, parseAmount } from '@/resource/fields/money/kind'
import { currencyOf } from '@/resource/fields/money/view'

/** While it is typed the text is the person's own; on leaving it is written as the language has it. */
export function Input(props: InputProps<'money'>) {
  const language = useLanguage()
  const [draft, setDraft] = useState<string | null>(null)
  const written = isAmount(props.value)
    ? formatNumber(Number(props.value), language, { minimumFractionDigits: 2, maximumFractionDigits: 2 })
    : String(props.value ?? '')
  return (
    <AntInput
      {...inputAttributes(props)}
      inputMode="decimal"
      autoComplete="off"
      suffix={currencyOf(props.field.currency, props.record)}
      value={draft ?? written}
      onChange={(event) => {
        const text = event.target.value
        setDraft(text)
        const amount = parseAmount(text, language)
        // Text that is no amount stays as typed, so that the form can report it.
        props.onChange?.(text.trim() === '' ? null : isAmount(amount) ? amount : text)
      }}
      onBlur={() => {
        setDraft(null)
        props.onBlur?.()
      }}
    />
  )
}
