import OrderedListOutlined from '@ant-design/icons/es/icons/OrderedListOutlined'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'

interface OrderButtonProps {
  resource: string
  /** Whether there is room for the icon alone. */
  isSmall: boolean
  onOpen: () => void
}

/** Opens the order of a list, for those who may change it. */
export function OrderButton({ resource, isSmall, onOpen }: OrderButtonProps) {
  const { t } = useTranslation('views')
  return (
    <GuardedButton
      resource={resource}
      action="edit"
      icon={<OrderedListOutlined aria-hidden="true" />}
      aria-label={isSmall ? t('order.open') : undefined}
      onClick={onOpen}
    >
      {isSmall ? null : t('order.open')}
    </GuardedButton>
  )
}
