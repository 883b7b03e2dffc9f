import { useTranslation } from 'react-i18next'
import type { TitleKey } from '@/app/titles'
import { PRODUCT_NAME } from '@/ui/brand'

/** A page's title in the reader's language. */
export function useTitle(): (key: TitleKey) => string {
  const { t } = useTranslation('shell')
  return (key) => (key === 'product' ? PRODUCT_NAME : t(`titles.${key}`))
}
