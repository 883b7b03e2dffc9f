import { useTranslation } from 'react-i18next'
import { useIsConnectionLost } from '@/ui/connection-lost'
import { useChunkProblem } from '@/ui/load-chunk'
import { ChunkWaiting, ConnectionWaiting } from '@/ui/waiting-states'
import '@/ui/states.css'

interface LoadingStateProps {
  /** Lines of the skeleton. */
  rows?: number
}

const LINES = Array.from({ length: 24 }, (_, index) => `line-${index}`)

/** In place of data that is being read; says so when the connection is lost. */
export function LoadingState(props: LoadingStateProps) {
  const isLost = useIsConnectionLost()
  return isLost ? <ConnectionWaiting /> : <Skeleton {...props} />
}

/**
 * The fallback of a `Suspense` around lazy parts. Only this one shows why a part does not load: the part may belong to a
 * page that the user has left, so a skeleton for data must not show it.
 */
export function PartLoading(props: LoadingStateProps) {
  const problem = useChunkProblem()
  return problem ? <ChunkWaiting problem={problem} /> : <LoadingState {...props} />
}

/** Only the lines, for data that is already loaded and shows with the next frame. */
export function Skeleton({ rows = 6 }: LoadingStateProps) {
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
