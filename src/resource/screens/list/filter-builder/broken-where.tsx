import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import '@/resource/screens/list/filter-builder/where-chip.css'

/** The address has an invalid filter: the list ignores it and says so. */
export function BrokenWhere({ onDrop }: { onDrop: () => void }) {
  const { t } = useTranslation('filters')
  return (
    <Alert
      className="k-where-broken"
      type="warning"
      showIcon
      title={t('broken')}
      description={t('brokenText')}
      action={<Button onClick={onDrop}>{t('dropBroken')}</Button>}
    />
  )
}
