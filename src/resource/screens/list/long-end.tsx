import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { MoreRows } from '@/resource/request/query/use-list-query'
import { useErrorText } from '@/resource/use-error-text'

interface LongEndProps {
  more: MoreRows
  loaded: number
  /** Continues after the loaded rows; null at the end of the list. */
  onNext: (() => void) | null
}

/** The end of a long list: rows are loading, loading failed, or the limit is reached. */
export function LongEnd({ more, loaded, onNext }: LongEndProps) {
  const { t } = useTranslation('long')
  const language = useLanguage()
  const errorText = useErrorText()
  if (more.error)
    return (
      <p className="k-long-end" role="alert">
        {t('failed', { reason: errorText(more.error) })}
        <Button size="small" onClick={more.retry}>
          {t('retry')}
        </Button>
      </p>
    )
  if (more.isLoading)
    return (
      <p className="k-long-end" role="status">
        {t('loading')}
      </p>
    )
  if (more.hasMore || !onNext) return null
  const figure = formatNumber(loaded, language)
  return (
    <p className="k-long-end" role="status">
      {t('enough', { figure })}
      <Button size="small" onClick={onNext}>
        {t('next', { figure })}
      </Button>
    </p>
  )
}
