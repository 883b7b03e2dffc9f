import { useTranslation } from 'react-i18next'
import type { InputProps } from '@/resource/fields/kind'
import { NumberControl } from '@/resource/fields/number-control'

export function Input(props: InputProps<'duration'>) {
  const { t } = useTranslation('engine')
  const { min = 0, max } = props.field
  return <NumberControl {...props} min={min} max={max} unit={t('units.seconds')} />
}
