import { Alert, Button } from 'antd'
import { useTranslation } from 'react-i18next'
import '@/resource/filter-builder/where-chip.css'

/** An address with a filter that is none: the list stands without it, and says so. */
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
