import { inputAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'
import { RecordPicker } from '@/resource/fields/relation/record-picker'

/** The field's value is the list of chosen ids; the form writes the difference into the table between. */
export function Input(props: InputProps<'many-to-many'>) {
  const companyId = typeof props.record.company_id === 'string' ? props.record.company_id : null
  return (
    <RecordPicker
      {...inputAttributes(props)}
      to={props.field.to}
      where={props.field.where}
      record={props.record}
      companyId={companyId}
      canAdd
      multiple
      value={Array.isArray(props.value) ? props.value.map(String) : []}
      onChange={(ids) => props.onChange?.(ids)}
    />
  )
}
