import { useTranslation } from 'react-i18next'
import { CodeEditor } from '@/resource/fields/code/code-editor'
import { codeLanguage } from '@/resource/fields/code/kind'
import type { InputProps } from '@/resource/fields/kind-interface'
import { useFieldWord } from '@/resource/language/words'

export function Input(props: InputProps<'code'>) {
  const { t } = useTranslation('engine')
  const word = useFieldWord(props.resource)
  return (
    <CodeEditor
      id={props.id}
      label={t('code.editor', { field: word(props.name) })}
      value={typeof props.value === 'string' ? props.value : ''}
      language={codeLanguage(props.field.language, props.record)}
      readOnly={props.disabled === true}
      isRequired={props['aria-required']}
      isInvalid={props['aria-invalid']}
      describedBy={props['aria-describedby']}
      onChange={props.onChange}
      onBlur={props.onBlur}
    />
  )
}
