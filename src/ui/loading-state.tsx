import { useTranslation } from 'react-i18next'
import '@/ui/states.css'

interface LoadingStateProps {
  /** Lines of the skeleton. */
  rows?: number
}

const LINES = Array.from({ length: 24 }, (_, index) => `line-${index}`)

export function LoadingState({ rows = 6 }: LoadingStateProps) {
  const { t } = useTranslation('common')
  return (
    <div className="k-skeleton" role="status">
      <span className="k-visually-hidden">{t('loading')}</span>
      {LINES.slice(0, rows).map((line) => (
        <span key={line} className="k-skeleton-line" aria-hidden="true" />
      ))}
    </div>
  )
}
