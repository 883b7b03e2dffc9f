import { Select } from 'antd'
import { useTranslation } from 'react-i18next'
import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind-interface'
import { useValueWord } from '@/resource/language/words'

export function Input(props: InputProps<'tags'>) {
  const { t } = useTranslation('engine')
  const word = useValueWord(props.resource, props.name)
  const { closed = false, suggestions = [] } = props.field
  const value = Array.isArray(props.value) ? props.value.map(String) : []
  const send = (next: string[]) => props.onChange?.(next.map((tag) => tag.trim()).filter(Boolean))
  return (
    <Select
      {...inputAttributes(props)}
      defaultOpen={props.isOpenAtFirst && suggestions.length > 0}
      // There is nothing to open when there are no choices: the values are typed.
      {...(suggestions.length === 0 ? { open: false, suffixIcon: null } : {})}
      placeholder={closed ? undefined : t('tags.type')}
      mode={closed ? 'multiple' : 'tags'}
      value={value}
      options={suggestions.map((tag) => ({ value: tag, label: closed ? word(tag) : tag }))}
      optionFilterProp="label"
      tokenSeparators={closed ? undefined : [',', ';']}
      // In the order of the list, whatever the order of choosing.
      onChange={(next: string[]) => send(closed ? suggestions.filter((tag) => next.includes(tag)) : next)}
    />
  )
}
