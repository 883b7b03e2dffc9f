import { DatePicker } from 'antd'
import { EnterStays } from '@/resource/fields/enter-stays'
import { choiceAttributes } from '@/resource/fields/input-attributes'
import type { InputProps } from '@/resource/fields/kind'
import { useDayjs } from '@/ui/use-dayjs'

export function Input(props: InputProps<'date'>) {
  const value = useDayjs(typeof props.value === 'string' ? props.value.slice(0, 10) : null)
  return (
    <EnterStays>
      <DatePicker
        {...choiceAttributes(props)}
        className="k-full"
        format={['DD.MM.YYYY', 'YYYY-MM-DD']}
        value={value}
        onChange={(next) => props.onChange?.(next ? next.format('YYYY-MM-DD') : null)}
      />
    </EnterStays>
  )
}
