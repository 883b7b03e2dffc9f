import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'
import { RecordPicker } from '@/resource/fields/relation/record-picker'
import { relatedRow } from '@/resource/query/values'

export function Input(props: InputProps<'relation'>) {
  const { to, where, required } = props.field
  const companyId = typeof props.record.company_id === 'string' ? props.record.company_id : null
  return (
    <RecordPicker
      {...inputAttributes(props)}
      isOpenAtFirst={props.isOpenAtFirst}
      known={relatedRow(props.record, props.name)}
      to={to}
      where={where}
      record={props.record}
      companyId={companyId}
      canAdd
      allowClear={required !== true}
      value={typeof props.value === 'string' ? [props.value] : []}
      onChange={([id]) => props.onChange?.(id ?? null)}
    />
  )
}
