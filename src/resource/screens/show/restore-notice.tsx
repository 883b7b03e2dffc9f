import { Alert } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { Restored } from '@/resource/screens/show/restored'
import type { ResourceWords } from '@/resource/words'

/** Says what the form was filled with, and which fields were not changed. */
export function RestoreNotice({ restored, words }: { restored: Restored; words: ResourceWords }) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const left = restored.left.map(words.field).join(', ')
  return (
    <Alert
      className="k-form-notice"
      type="info"
      showIcon
      title={t('restore.filled', { when: formatDateTime(restored.at, language) })}
      description={left ? `${t('restore.text')} ${t('restore.left', { fields: left })}` : t('restore.text')}
    />
  )
}
