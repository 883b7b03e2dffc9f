import { useTranslation } from 'react-i18next'
import { useIsConnectionLost } from '@/app/connection'
import { Notice } from '@/ui/notice'

export function ConnectionNotice() {
  const { t } = useTranslation('common')
  if (!useIsConnectionLost()) return null
  return <Notice tone="warning" role="status" title={t('offline.title')} text={t('offline.text')} />
}
