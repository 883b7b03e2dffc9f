import { Checkbox, Form, Input, InputNumber, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Parameter } from './parameters'

/** The database takes no longer values. */
const LONGEST = 4000
/** Shorter secrets cannot be masked in the output without garbling it; the database refuses them too. */
const MIN_SECRET = 4

/**
 * Each parameter is a form item named `parameters.<name>`; secrets are never shown or saved by the browser.
 */
export function ParameterFields({ parameters }: { parameters: readonly Parameter[] }) {
  return parameters.map((parameter) => <ParameterField key={parameter.name} parameter={parameter} />)
}

function ParameterField({ parameter }: { parameter: Parameter }) {
  const { t } = useTranslation('procedures')
  const { name, kind, label, isRequired, choices } = parameter
  if (kind === 'boolean') {
    return (
      <Form.Item name={['parameters', name]} valuePropName="checked">
        <Checkbox>{label}</Checkbox>
      </Form.Item>
    )
  }
  return (
    <Form.Item
      name={['parameters', name]}
      label={label}
      extra={kind === 'secret' ? t('run.secretHint') : undefined}
      rules={[
        { required: isRequired, message: t('run.required', { field: label }) },
        ...(kind === 'secret'
          ? [{ min: MIN_SECRET, message: t('run.secretShort', { field: label, count: MIN_SECRET }) }]
          : []),
      ]}
    >
      {kind === 'number' ? (
        <InputNumber className="l-full" />
      ) : kind === 'choice' ? (
        <Select
          allowClear={!isRequired}
          options={choices.map((choice) => ({ value: choice, label: choice }))}
          placeholder={t('run.choose')}
        />
      ) : kind === 'secret' ? (
        <Input.Password autoComplete="new-password" maxLength={LONGEST} />
      ) : (
        <Input autoComplete="off" maxLength={LONGEST} />
      )}
    </Form.Item>
  )
}
