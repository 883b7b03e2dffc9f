import { Input, InputNumber, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Field } from '@/resource/definition/definition.generated'
import { useValueWord } from '@/resource/definition/words'
import { kindOf } from '@/resource/fields/kinds'
import { linkedTo } from '@/resource/fields/related-field'
import { RecordPicker } from '@/resource/fields/relation/record-picker'
import { choicesOf, filterStyle, MAX_TEXT } from '@/resource/filter/from-url'
import { MAX_DAYS } from '@/resource/filter/where'
import { DayValue } from '@/resource/list/filter-builder/day-value'
import { type Operator, operandOf } from '@/resource/list/filter-builder/operators'

export interface ValueProps {
  id: string
  resource: string
  name: string
  field: Field
  operator: Operator
  values: readonly string[]
  place: string
  isMissing: boolean
  onChange: (values: readonly string[]) => void
}

/** What a condition compares with, asked for in its field's own way. */
export function ValueControl(props: ValueProps) {
  const { id, field, operator, values, place, isMissing, onChange } = props
  const { t } = useTranslation('filters')
  const { t: engine } = useTranslation('engine')
  const label = t('value', { place })
  const operand = operandOf(operator)
  if (operand === 'none') return null
  if (operand === 'days')
    return (
      <InputNumber
        id={id}
        className="k-full"
        aria-label={label}
        aria-invalid={isMissing}
        status={isMissing ? 'error' : undefined}
        min={1}
        max={MAX_DAYS}
        precision={0}
        suffix={t('days')}
        value={values[0] ? Number(values[0]) : null}
        onChange={(next) => onChange(next === null ? [] : [String(next)])}
      />
    )
  switch (filterStyle(field)) {
    case 'choice':
    case 'words':
      return <ChoiceValue {...props} label={label} />
    case 'record':
      return (
        <>
          <label className="k-visually-hidden" htmlFor={id}>
            {label}
          </label>
          <RecordPicker
            id={id}
            to={linkedTo(field) ?? ''}
            multiple
            value={values}
            aria-invalid={isMissing}
            onChange={onChange}
          />
        </>
      )
    case 'yesNo':
      return (
        <select
          id={id}
          className="k-where-select"
          aria-label={label}
          aria-invalid={isMissing}
          value={values[0] ?? ''}
          onChange={(event) => onChange(event.target.value === '' ? [] : [event.target.value])}
        >
          <option value="">{t('choose')}</option>
          <option value="true">{engine('yes')}</option>
          <option value="false">{engine('no')}</option>
        </select>
      )
    case 'range':
      return (
        <InputNumber
          id={id}
          className="k-full"
          aria-label={label}
          aria-invalid={isMissing}
          status={isMissing ? 'error' : undefined}
          suffix={'unit' in field && typeof field.unit === 'string' ? field.unit : undefined}
          value={values[0] ? Number(values[0]) : null}
          onChange={(next) => onChange(next === null ? [] : [String(next)])}
        />
      )
    case 'days':
      return <DayValue {...props} label={label} />
    default:
      return (
        <Input
          id={id}
          aria-label={label}
          aria-invalid={isMissing}
          status={isMissing ? 'error' : undefined}
          maxLength={MAX_TEXT}
          value={values[0] ?? ''}
          onChange={(event) => onChange([event.target.value])}
        />
      )
  }
}

function ChoiceValue({
  id,
  resource,
  name,
  field,
  values,
  label,
  isMissing,
  onChange,
}: ValueProps & { label: string }) {
  const { t } = useTranslation('filters')
  const word = useValueWord(resource, name)
  const { known, isClosed } = choicesOf(field)
  return (
    <Select<string[]>
      id={id}
      className="k-full"
      mode={isClosed ? 'multiple' : 'tags'}
      aria-label={label}
      aria-invalid={isMissing}
      status={isMissing ? 'error' : undefined}
      placeholder={t('choose')}
      value={[...values]}
      options={known.map((value) => ({ value, label: isClosed ? word(value) : value }))}
      showSearch={{ optionFilterProp: 'label' }}
      maxTagCount="responsive"
      onChange={(next) => onChange(next.map((value) => kindOf(field.type).normalize?.(value) ?? value))}
    />
  )
}
