import { Input, InputNumber, Select } from 'antd'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { kindOf } from '@/resource/fields/kinds'
import { linkedTo } from '@/resource/fields/related-field'
import { RecordPicker } from '@/resource/fields/relation/record-picker'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useValueWord } from '@/resource/language/words'
import { choicesOf, filterStyle, MAX_TEXT } from '@/resource/request/filter/from-url'
import { MAX_DAYS } from '@/resource/request/filter/where'
import { parseListState } from '@/resource/request/query/list-state'
import { DayValue } from '@/resource/screens/list/filter-builder/day-value'
import { type Operator, operandOf } from '@/resource/screens/list/filter-builder/operators'
import { useCounts } from '@/resource/screens/list/use-counts'
import { omittedTags } from '@/ui/picker'

export interface ValueProps {
  id: string
  definition: Definition
  name: string
  field: Field
  operator: Operator
  values: readonly string[]
  place: string
  isMissing: boolean
  onChange: (values: readonly string[]) => void
}

/** Asks for the value of a condition, in its field's own way. */
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
  switch (operator === 'contains' ? 'contains' : filterStyle(field)) {
    case 'choice':
    case 'words':
      return choicesOf(field).isClosed ? (
        <ClosedChoice {...props} label={label} />
      ) : (
        <OpenChoice {...props} label={label} />
      )
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

type ChoiceProps = ValueProps & { label: string }

function ClosedChoice(props: ChoiceProps) {
  const word = useValueWord(props.definition.name, props.name)
  const { known } = choicesOf(props.field)
  return <ChoiceSelect {...props} options={known.map((value) => ({ value, label: word(value) }))} />
}

/** Offers what the records have, beside the common values; any other can be typed. */
function OpenChoice(props: ChoiceProps) {
  const { definition, name, field } = props
  const state = useMemo(() => parseListState(new URLSearchParams(), definition, findDefinition), [definition])
  const { values, withCount } = useCounts({ definition, path: name, state, extra: undefined })
  const known = [...new Set([...values, ...choicesOf(field).known])]
  return (
    <ChoiceSelect
      {...props}
      isOpen
      options={known.map((value) => ({ value, label: withCount(value, value) }))}
    />
  )
}

interface ChoiceSelectProps extends ChoiceProps {
  options: { value: string; label: string }[]
  isOpen?: boolean
}

function ChoiceSelect({ id, field, values, label, isMissing, onChange, options, isOpen }: ChoiceSelectProps) {
  const { t } = useTranslation('filters')
  const labels = new Map(options.map((option) => [option.value, option.label]))
  return (
    <Select
      id={id}
      className="k-full"
      mode={isOpen ? 'tags' : 'multiple'}
      aria-label={label}
      aria-invalid={isMissing}
      status={isMissing ? 'error' : undefined}
      placeholder={t('choose')}
      // A chosen value shows without its figure.
      labelInValue
      optionLabelProp="label"
      value={values.map((value) => ({ value, label: isOpen ? value : (labels.get(value) ?? value) }))}
      options={options}
      showSearch={{ optionFilterProp: 'label' }}
      maxTagCount="responsive"
      maxTagPlaceholder={omittedTags}
      onChange={(next: { value: string }[]) =>
        onChange(next.map(({ value }) => kindOf(field.type).normalize?.(value) ?? value))
      }
    />
  )
}
