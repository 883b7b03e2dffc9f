import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CodeEditor } from '@/resource/fields/code/code-editor'
import { InvalidJson, parseJson } from '@/resource/fields/json/kind'
import type { InputProps } from '@/resource/fields/kind-interface'
import { useFieldWord } from '@/resource/language/words'

function write(value: unknown): string {
  if (value instanceof InvalidJson) return value.text
  return value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
}

/** The text stays as typed; the form holds what it means. */
export function Input(props: InputProps<'json'>) {
  const { t } = useTranslation('engine')
  const word = useFieldWord(props.resource)
  const [typed, setTyped] = useState<{ text: string; value: unknown } | null>(null)
  // A value that did not come from typing (a colleague's version, say) is written anew.
  const text = typed && typed.value === props.value ? typed.text : write(props.value)
  const handleChange = (next: string) => {
    const value = next.trim() === '' ? null : parseJson(next)
    setTyped({ text: next, value })
    props.onChange?.(value)
  }
  return (
    <CodeEditor
      id={props.id}
      label={t('code.editor', { field: word(props.name) })}
      value={text}
      language="json"
      readOnly={props.disabled === true}
      isRequired={props['aria-required']}
      isInvalid={props['aria-invalid']}
      describedBy={props['aria-describedby']}
      onChange={handleChange}
      onBlur={props.onBlur}
    />
  )
}
