import { type InputHTMLAttributes, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '@/ui/icons'
import { LimitCounter } from '@/ui/limit-counter'
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
