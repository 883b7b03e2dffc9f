import { Form, Input } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { useDurationText } from '@/resource/fields/number/duration-text'
import { parseDuration } from '@/resource/fields/number/typed-duration'
import { isBlank } from '@/resource/screens/form/check-record'

/** The moments of a record that take as long as was typed: a new record ends now until somebody has typed when it began. */
export function spanMoments(
  seconds: number,
  { from, until, isStartTyped }: { from: unknown; until: unknown; isStartTyped: boolean },
  now: number,
): { from: string; until: string } {
  if (isStartTyped && !isBlank(from))
    return {
      from: String(from),
      until: new Date(Date.parse(String(from)) + seconds * 1000).toISOString(),
    }
  const end = isBlank(until) ? now : Date.parse(String(until))
  return { from: new Date(end - seconds * 1000).toISOString(), until: new Date(end).toISOString() }
}

interface SpanFieldProps {
  name: string
  label: string
  help: string | undefined
  between: readonly [string, string]
  record: Row
  isNew: boolean
  disabled: boolean
}

/** How long something took, typed in place of one of its two moments. It is no value of its own. */
export function SpanField({ name, label, help, between, record, isNew, disabled }: SpanFieldProps) {
  const { t } = useTranslation('engine')
  const form = Form.useFormInstance<Row>()
  const durationText = useDurationText()
  const [from, until] = between
  /** The text while it is typed; null once the two moments say how long it is. */
  const [typed, setTyped] = useState<string | null>(null)
  /** The start as the form or this field gave it: any other was typed. */
  const given = useRef<unknown>(form.getFieldValue(from))
  const seconds =
    isBlank(record[from]) || isBlank(record[until])
      ? null
      : Math.round((Date.parse(String(record[until])) - Date.parse(String(record[from]))) / 1000)
  const shown = seconds === null || !(seconds > 0) ? '' : durationText(seconds)
  const handleType = (text: string) => {
    setTyped(text)
    const wanted = parseDuration(text)
    if (wanted === null) return
    const isStartTyped = !isNew || record[from] !== given.current
    const next = spanMoments(wanted, { from: record[from], until: record[until], isStartTyped }, Date.now())
    given.current = next.from
    form.setFieldsValue({ [from]: next.from, [until]: next.until })
  }
  return (
    <Form.Item
      name={name}
      label={label}
      extra={help}
      validateTrigger={['onBlur']}
      dependencies={[from, until]}
      rules={[
        {
          validator: async () => {
            if (typed !== null && typed.trim() !== '' && parseDuration(typed) === null)
              throw new Error(t('check.duration'))
            if (isNew && seconds === 0) throw new Error(t('duration.missing'))
          },
        },
      ]}
    >
      <SpanInput
        text={typed ?? shown}
        placeholder={t('duration.example')}
        disabled={disabled}
        onType={handleType}
        onSettle={() => {
          if (typed === null || parseDuration(typed) !== null) setTyped(null)
        }}
      />
    </Form.Item>
  )
}

interface SpanInputProps {
  text: string
  placeholder: string
  disabled: boolean
  onType: (text: string) => void
  onSettle: () => void
  /** Given by the form. */
  id?: string
  onBlur?: () => void
}

function SpanInput({ text, onType, onSettle, onBlur, id, placeholder, disabled, ...aria }: SpanInputProps) {
  return (
    <Input
      id={id}
      aria-describedby={Reflect.get(aria, 'aria-describedby') as string | undefined}
      aria-invalid={Reflect.get(aria, 'aria-invalid') as boolean | undefined}
      value={text}
      placeholder={placeholder}
      disabled={disabled}
      autoComplete="off"
      onChange={({ target }) => onType(target.value)}
      onBlur={() => {
        onSettle()
        onBlur?.()
      }}
    />
  )
}
