import { type InputHTMLAttributes, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '@/ui/icons'
import { PlainButton } from '@/ui/plain-button'
import '@/ui/text-field.css'

type InputAttributes = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'type' | 'name' | 'autoComplete' | 'placeholder' | 'required' | 'readOnly' | 'maxLength' | 'minLength'
>

interface TextFieldProps extends InputAttributes {
  label: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  /** Takes the focus when the page opens: for the first field of a page that is one form. */
  isFirst?: boolean
}

/** A labeled input for the pages that are too small for antd's form. */
export function TextField(props: TextFieldProps) {
  return <Field {...props} />
}

/** The same, hidden until its reader asks to see it. */
export function PasswordField(props: Omit<TextFieldProps, 'type'>) {
  const { t } = useTranslation('auth')
  const [isShown, setShown] = useState(false)
  return (
    <Field {...props} type={isShown ? 'text' : 'password'}>
      <PlainButton
        kind="text"
        isIcon
        aria-label={isShown ? t('hidePassword') : t('showPassword')}
        aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
      >
        <Icon name={isShown ? 'eyeOff' : 'eye'} />
      </PlainButton>
    </Field>
  )
}

interface FieldProps extends TextFieldProps {
  children?: ReactNode
}

function Field({ label, value, onChange, error, isFirst = false, children, ...input }: FieldProps) {
  const id = useId()
  const element = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isFirst) element.current?.focus()
  }, [isFirst])
  return (
    <div className="k-field">
      <label className="k-field-label" htmlFor={id}>
        {label}
      </label>
      <div className="k-field-box">
        <input
          ref={element}
          className="k-input"
          {...input}
          id={id}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
        />
        {children}
      </div>
      <LimitCounter length={value.length} max={input.maxLength} />
      {error ? (
        <p id={`${id}-error`} className="k-field-error">
          {error}
        </p>
      ) : null}
    </div>
  )
}

/** From this part of the limit on, the counter is shown. */
const NEAR = 0.8

type Field = HTMLInputElement | HTMLTextAreaElement

const isField = (target: EventTarget | null): target is Field =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement

/** Whether the last paste into the field beside `mark` was longer than what `maxLength` lets in: browsers cut it without a word. */
function useCutPaste(max: number | undefined) {
  const mark = useRef<HTMLSpanElement>(null)
  const [isCut, setCut] = useState(false)
  useEffect(() => {
    const box = mark.current?.parentElement
    if (!box || max === undefined) return
    const handlePaste = ({ target, clipboardData }: ClipboardEvent) => {
      if (!isField(target)) return
      const replaced = (target.selectionEnd ?? 0) - (target.selectionStart ?? 0)
      const pasted = clipboardData?.getData('text').length ?? 0
      setCut(target.value.length - replaced + pasted > max)
    }
    const handleInput = (event: Event) => {
      if ((event as InputEvent).inputType !== 'insertFromPaste') setCut(false)
    }
    box.addEventListener('paste', handlePaste)
    box.addEventListener('input', handleInput)
    return () => {
      box.removeEventListener('paste', handlePaste)
      box.removeEventListener('input', handleInput)
    }
  }, [max])
  return { mark, isCut }
}

/**
 * Shows how much of a text's limit is used once it is close, and that a pasted text was cut: `maxLength` alone stops
 * input without a message. It follows its field in the same element.
 */
export function LimitCounter({ length, max }: { length: number; max: number | undefined }) {
  const { t } = useTranslation('common')
  const { mark, isCut } = useCutPaste(max)
  const isShown = max !== undefined && length >= max * NEAR
  return (
    <span ref={mark} className={isShown ? 'k-limit' : undefined} data-full={isShown && length >= max}>
      {isShown ? (
        <>
          {isCut && length >= max ? <span role="alert">{t('cut', { max })} </span> : null}
          <span aria-hidden="true">{`${length}/${max}`}</span>
          <span className="k-visually-hidden" role="status">
            {t('limit', { length, max })}
          </span>
        </>
      ) : null}
    </span>
  )
}
