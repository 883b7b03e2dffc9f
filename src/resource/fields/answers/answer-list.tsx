import { useTranslation } from 'react-i18next'
import { formatDay, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { type AnswerField, isAnswers } from '@/resource/fields/answers/answer-form'
import { useAnswerForm } from '@/resource/fields/answers/use-answer-form'
import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'

/** Each question of the form with its answer. */
export function AnswerList({ value, field, resource, row }: CellProps<'answers'>) {
  const { fields } = useAnswerForm(resource, field.form, row)
  const answers = isAnswers(value) ? value : {}
  return (
    <dl className="k-answers">
      {fields.map((question) => (
        <div key={question.key}>
          <dt>{question.label}</dt>
          <dd>
            <Answer question={question} value={answers[question.key]} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Answer({ question, value }: { question: AnswerField; value: unknown }) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  if (value === undefined || value === null || value === '') return <Blank />
  if (typeof value === 'boolean') return <span>{t(value ? 'answers.yes' : 'answers.no')}</span>
  if (typeof value === 'number') return <span>{formatNumber(value, language)}</span>
  if (question.kind === 'date')
    return <time dateTime={String(value)}>{formatDay(String(value), language)}</time>
  return <span className="k-answer">{String(value)}</span>
}
