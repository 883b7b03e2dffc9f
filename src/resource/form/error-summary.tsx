import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import type { ResourceWords } from '@/resource/definition/words'
import type { FormParts } from '@/resource/form/use-form-parts'

/** In a divided form an error may be out of view, so each is listed with its section and links to it. */
export function ErrorSummary({ parts, words }: { parts: FormParts; words: ResourceWords }) {
  const { t } = useTranslation('engine')
  const { mistakes, layout, reveal } = parts
  if (mistakes.length === 0) return null
  return (
    <Alert
      className="k-form-notice"
      type="error"
      showIcon
      role="alert"
      title={t('form.mistakes', { count: mistakes.length })}
      description={
        <ul className="k-form-mistakes">
          {mistakes.map(({ field, message, part }) => (
            <li key={field}>
              <button type="button" className="k-link-button" onClick={() => reveal(field)}>
                {part ? `${partLabel(layout.kind, part.name, words)}: ` : ''}
                {words.field(field)}
              </button>{' '}
              {message}
            </li>
          ))}
        </ul>
      }
    />
  )
}

export function partLabel(kind: FormParts['layout']['kind'], name: string, words: ResourceWords): string {
  return kind === 'steps' ? words.step(name) : words.tab(name)
}
