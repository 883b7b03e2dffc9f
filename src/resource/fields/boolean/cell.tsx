import CheckOutlined from '@ant-design/icons/es/icons/CheckOutlined'
import MinusOutlined from '@ant-design/icons/es/icons/MinusOutlined'
import { useTranslation } from 'react-i18next'
import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value, dense }: CellProps<'boolean'>) {
  const { t } = useTranslation('engine')
  if (typeof value !== 'boolean') return <Blank />
  const words = value ? t('yes') : t('no')
  if (!dense) return <span>{words}</span>
  return (
    <span className={value ? 'k-yes' : 'k-no'} title={words}>
      {value ? <CheckOutlined aria-hidden="true" /> : <MinusOutlined aria-hidden="true" />}
      <span className="k-visually-hidden">{words}</span>
    </span>
  )
}
