import { Input } from '@/resource/fields/enum/input'
import type { InputProps } from '@/resource/fields/kind-interface'

/** The status of an alert. Only a maintenance suppresses one, and then its status stays. */
export function AlertStatusField(props: InputProps<'enum'>) {
  const { field, value } = props
  const values = Object.fromEntries(
    Object.entries(field.values).filter(([name]) => (name === 'suppressed') === (value === 'suppressed')),
  )
  return <Input {...props} field={{ ...field, values }} />
}
