import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import '@/ui/states.css'

/** Only while the first session check runs. `children` says why it takes long, where it does. */
export function FullScreenSpinner({ children }: { children?: ReactNode }) {
  const { t } = useTranslation('common')
  return (
    <main className="k-full-screen" aria-busy="true">
      <span className="k-spinner" aria-hidden="true" />
      <span className="k-visually-hidden" role="status">
        {t('loading')}
      </span>
      {children}
    </main>
  )
}
