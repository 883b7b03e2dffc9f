import { Checkbox, Form, InputNumber, Select, Input as TextInput } from 'antd'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type AnswerField, isAnswers, missingAnswers } from '@/resource/fields/answers/answer-form'
import { formSource } from '@/resource/fields/answers/kind'
import { useAnswerForm } from '@/resource/fields/answers/use-answer-form'
import { DateField } from '@/resource/fields/date/date-field'
import type { InputProps } from '@/resource/fields/kind-interface'
import { useFieldWord } from '@/resource/language/words'

/** The questions of the chosen record. Answers that it does not ask for are dropped: of an existing record with the first change. */
export function Input(props: InputProps<'answers'>) {
  const { field, name, resource, record, disabled, onChange } = props
  const { t } = useTranslation('engine')
  const word = useFieldWord(resource)
  const base = useId()
  const { fields: asked, isLoading, isRead } = useAnswerForm(resource, field.form, record)
  const fields = field.partial ? asked.map((question) => ({ ...question, required: false })) : asked
  const source = record[formSource(field.form).relation]
  const isFaulty = Form.Item.useStatus().status === 'error'
  // The first answer clears the field's error: the other questions stay marked until they are answered too.
  const [checked, setChecked] = useState<unknown>(null)
  if (isFaulty && checked !== source) setChecked(source)
  const answers = isAnswers(props.value) ? props.value : {}
  // The database refuses answers to the questions of another record. Stored ones stay as they are until somebody changes them.
  const settled = useRef(record.id === undefined ? null : source)
  useEffect(() => {
    if (!isRead || settled.current === source) return
    settled.current = source
    const kept = Object.entries(answers).filter(([key]) => asked.some((question) => question.key === key))
    if (kept.length < Object.keys(answers).length) onChange?.(Object.fromEntries(kept))
  }, [isRead, source, asked, answers, onChange])
  const missing = isFaulty || checked === source ? missingAnswers(fields, answers) : []
  const change = (key: string, value: unknown) => {
    const kept = fields.filter((other) => other.key !== key && answers[other.key] !== undefined)
    const next = Object.fromEntries(kept.map((other) => [other.key, answers[other.key]]))
    onChange?.(value === null || value === '' ? next : { ...next, [key]: value })
  }
  return (
    <fieldset className="k-rows" id={props.id} aria-label={word(name)} tabIndex={-1} aria-busy={isLoading}>
      {fields.length === 0 ? <p className="k-soft">{t('answers.none')}</p> : null}
      {fields.map((question) => {
        const id = `${base}-${question.key}`
        const isMissing = missing.includes(question.key)
        return (
          <Form.Item
            key={question.key}
            className="k-question"
            required={question.required}
            {...(question.kind === 'checkbox' ? {} : { label: question.label, htmlFor: id })}
            validateStatus={isMissing ? 'error' : ''}
            help={isMissing ? <span id={`${id}-help`}>{t('answers.missing')}</span> : undefined}
          >
            <AnswerInput
              id={id}
              question={question}
              value={answers[question.key]}
              disabled={disabled === true}
              isMissing={isMissing}
              onChange={(value) => change(question.key, value)}
            />
          </Form.Item>
        )
      })}
    </fieldset>
  )
}

interface AnswerInputProps {
  id: string
  question: AnswerField
  value: unknown
  disabled: boolean
  isMissing: boolean
  onChange: (value: unknown) => void
}

function AnswerInput({ id, question, value, disabled, isMissing, onChange }: AnswerInputProps) {
  const shared = {
    id,
    disabled,
    'aria-required': question.required,
    'aria-invalid': isMissing,
    ...(isMissing ? { 'aria-describedby': `${id}-help` } : {}),
  }
  const text = typeof value === 'string' ? value : ''
  switch (question.kind) {
    case 'text':
      return (
        <TextInput
          {...shared}
          maxLength={500}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )
    case 'textarea':
      return (
        <TextInput.TextArea
          {...shared}
          rows={3}
          maxLength={10_000}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )
    case 'number':
      return (
        <InputNumber
          {...shared}
          className="k-full"
          value={typeof value === 'number' ? value : null}
          onChange={(next) => onChange(next)}
        />
      )
    case 'date':
      return <DateField {...shared} value={text || null} onChange={onChange} />
    case 'enum':
      return (
        <Select
          {...shared}
          className="k-full"
          allowClear
          value={text || undefined}
          options={question.options.map((option) => ({ value: option, label: option }))}
          onChange={(next: string | undefined) => onChange(next ?? null)}
        />
      )
    case 'checkbox':
      return (
        <Checkbox {...shared} checked={value === true} onChange={(event) => onChange(event.target.checked)}>
          <span className={question.required ? 'k-required' : undefined}>{question.label}</span>
        </Checkbox>
      )
  }
}
