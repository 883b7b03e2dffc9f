import { DatePicker } from 'antd'
import dayjs from 'dayjs'
import { EnterStays } from '@/resource/fields/enter-stays'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'

/** Typed and shown in the user's time zone, stored as an instant. */
export function Input(props: InputProps<'datetime'>) {
  const value = typeof props.value === 'string' && props.value ? dayjs(props.value) : null
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
