import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { LaterKey } from '@/pages/later/later-key'
import '@/pages/later/later-page.css'

interface LaterPageProps {
  topic: LaterKey
  icon: ReactNode
}

/** A planned page: says so in one sentence. */
export function LaterPage({ topic, icon }: LaterPageProps) {
  const { t } = useTranslation('later')
  return (
    <div className="later">
      <div className="later-body">
        <span className="later-icon" aria-hidden="true">
          {icon}
        </span>
        <p className="later-text">{t(topic)}</p>
      </div>
    </div>
  )
}
