import { Select } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { kindOf } from '@/resource/fields/kinds'
import { RecordPicker } from '@/resource/fields/relation/record-picker'
import { useValueWord } from '@/resource/language/words'
import { choicesOf, splitList } from '@/resource/request/filter/from-url'
import type { FilterControlProps } from '@/resource/screens/list/filter-panel'
import { useCounts } from '@/resource/screens/list/use-counts'
import { omittedTags } from '@/ui/picker'

/** A color is chosen by its swatch. */
function ColorOption({ value, label }: { value?: unknown; label?: ReactNode }) {
  return (
    <span className="k-color">
      <span className="k-swatch" aria-hidden="true" style={{ background: String(value) }} />
      {label}
    </span>
  )
}

export function ChoiceFilter({ id, field, name, resource, value, list, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const word = useValueWord(resource, name)
  const { values, withCount } = useCounts(list)
  const { known: named, isClosed } = choicesOf(field)
  // For free text, the typed value is offered as well.
  const known = isClosed ? named : [...new Set([...named, ...values])]
  const labelOf = (option: string) => (isClosed ? word(option) : option)
  return (
    <Select
      id={id}
      className="k-full"
      mode={isClosed ? 'multiple' : 'tags'}
      value={splitList(value).map((option) => ({ value: option, label: labelOf(option) }))}
      labelInValue
      // A selected choice shows its label without the figure; stating it silences the select's warning.
      optionLabelProp="label"
      placeholder={t('list.any')}
      options={known.map((option) => ({ value: option, label: withCount(option, labelOf(option)) }))}
      optionRender={field.type === 'color' ? ColorOption : undefined}
      maxTagCount="responsive"
      maxTagPlaceholder={omittedTags}
      allowClear
      onChange={(next: { value: string }[]) =>
        onChange(next.map(({ value }) => kindOf(field.type).normalize?.(value) ?? value).join(','))
      }
    />
  )
}

export function BooleanFilter({ id, value, list, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const { withCount } = useCounts(list)
  return (
    <Select
      id={id}
      className="k-full"
      value={value === '' ? undefined : value}
      placeholder={t('list.any')}
      options={[
        { value: 'true', label: withCount('true', t('yes')) },
        { value: 'false', label: withCount('false', t('no')) },
      ]}
      allowClear
      onChange={(next?: string) => onChange(next ?? '')}
    />
  )
}

export function RecordFilter({ id, field, value, list, onChange }: FilterControlProps) {
  const { t } = useTranslation('engine')
  const { withCount } = useCounts(list)
  return (
    <RecordPicker
      id={id}
      to={kindOf(field.type).target?.(field) ?? ''}
      multiple
      value={splitList(value)}
      placeholder={t('list.any')}
      labelOf={withCount}
      onChange={(ids) => onChange(ids.join(','))}
    />
  )
}
