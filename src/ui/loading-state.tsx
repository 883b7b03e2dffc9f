import { useTranslation } from 'react-i18next'
import { ChunkWaiting } from '@/ui/chunk-waiting'
import { useIsConnectionLost } from '@/ui/connection-lost'
import { ConnectionWaiting } from '@/ui/connection-waiting'
import { useChunkProblem } from '@/ui/load-chunk'
import '@/ui/states.css'

interface LoadingStateProps {
  /** Lines of the skeleton. */
  rows?: number
}

const LINES = Array.from({ length: 24 }, (_, index) => `line-${index}`)

export function LoadingState({ rows = 6 }: LoadingStateProps) {
  const { t } = useTranslation('common')
  const problem = useChunkProblem()
  const isLost = useIsConnectionLost()
  if (problem) return <ChunkWaiting problem={problem} />
  if (isLost) return <ConnectionWaiting />
  return (
    <div className="k-skeleton" role="status">
      <span className="k-visually-hidden">{t('loading')}</span>
      {LINES.slice(0, rows).map((line) => (
        <span key={line} className="k-skeleton-line" aria-hidden="true" />
      ))}
    </div>
  )
}
