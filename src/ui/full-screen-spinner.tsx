import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useChunkProblem } from '@/ui/load-chunk'
import { ChunkWaiting } from '@/ui/waiting-states'
import '@/ui/states.css'

/** Only while the first session check runs. `children` says why it takes long, where it does. */
export function FullScreenSpinner({ children }: { children?: ReactNode }) {
  const { t } = useTranslation('common')
  const problem = useChunkProblem()
  return (
    <main className="k-full-screen" aria-busy="true">
      <span className="k-spinner" aria-hidden="true" />
      <span className="k-visually-hidden" role="status">
        {t('loading')}
      </span>
      {children ?? (problem ? <ChunkWaiting problem={problem} /> : null)}
    </main>
  )
}
