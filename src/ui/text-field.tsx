import EyeInvisibleOutlined from '@ant-design/icons/es/icons/EyeInvisibleOutlined'
import EyeOutlined from '@ant-design/icons/es/icons/EyeOutlined'
import { Button, Input, type InputProps } from 'antd'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import '@/ui/text-field.css'

interface TextFieldProps extends Omit<InputProps, 'onChange' | 'value' | 'id' | 'suffix'> {
  label: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
  hint?: string | undefined
}

/** A labelled input for the pages that are too small for antd's form. */
export function TextField({ label, value, onChange, error, hint, ...input }: TextFieldProps) {
  return <Field {...input} label={label} value={value} onChange={onChange} error={error} hint={hint} />
}

/** The same, hidden until its reader asks to see it. */
export function PasswordField(props: TextFieldProps) {
  const { t } = useTranslation('auth')
  const [isShown, setShown] = useState(false)
  return (
    <Field
      {...props}
      type={isShown ? 'text' : 'password'}
      suffix={
        <Button
          type="text"
          size="small"
          icon={isShown ? <EyeInvisibleOutlined /> : <EyeOutlined />}
          aria-label={isShown ? t('hidePassword') : t('showPassword')}
          aria-pressed={isShown}
          onClick={() => setShown(!isShown)}
        />
      }
    />
  )
}

function Field({
  label,
  value,
  onChange,
  error,
  hint,
  ...input
}: TextFieldProps & Pick<InputProps, 'suffix'>) {
  const id = useId()
  const hasNote = Boolean(error ?? hint)
  return (
    <div className="k-field">
      <label className="k-field-label" htmlFor={id}>
        {label}
      </label>
      <Input
        size="large"
        {...input}
        id={id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        status={error ? 'error' : ''}
        aria-invalid={Boolean(error)}
        aria-describedby={hasNote ? `${id}-note` : undefined}
      />
      {hasNote ? (
        <p id={`${id}-note`} className={error ? 'k-field-error' : 'k-field-hint'}>
          {error ?? hint}
        </p>
      ) : null}
    </div>
  )
}
