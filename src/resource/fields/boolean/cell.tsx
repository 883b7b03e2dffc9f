import CheckOutlined from '@ant-design/icons/es/icons/CheckOutlined'
import MinusOutlined from '@ant-design/icons/es/icons/MinusOutlined'
import { useTranslation } from 'react-i18next'
import { Blank } from '@/resource/fields/blank'
import { toneOf } from '@/resource/fields/enum/tone'
import type { CellProps } from '@/resource/fields/kind'
import { StatusTag } from '@/ui/status-tag'

export function Cell({ value, field }: CellProps<'boolean'>) {
  const { t } = useTranslation('engine')
  if (typeof value !== 'boolean') return <Blank />
  const words = value ? t('yes') : t('no')
  const colour = value ? field.yes : field.no
  if (colour && colour !== 'default') return <StatusTag tone={toneOf(colour)}>{words}</StatusTag>
  return (
    <span className={value ? 'k-yes' : 'k-no'}>
      {value ? <CheckOutlined aria-hidden="true" /> : <MinusOutlined aria-hidden="true" />} {words}
    </span>
  )
}
