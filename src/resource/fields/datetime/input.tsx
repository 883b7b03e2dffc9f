import { DatePicker } from 'antd'
import { EnterStays } from '@/resource/fields/enter-stays'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'
import { useDayjs } from '@/ui/use-dayjs'

/** Typed and shown in the user's time zone, stored as an instant. */
export function Input(props: InputProps<'datetime'>) {
  const value = useDayjs(typeof props.value === 'string' ? props.value : null)
  return (
    <EnterStays>
      <DatePicker
        {...choiceAttributes(props)}
        className="k-full"
        showTime={{ format: 'HH:mm' }}
        format="DD.MM.YYYY HH:mm"
        value={value}
        onChange={(next) => props.onChange?.(next ? next.toISOString() : null)}
      />
    </EnterStays>
  )
}
