import { useTranslation } from 'react-i18next'
import { LeaveQuestion } from '@/ui/leave-question'
import { isOtherPage, useLeaving } from '@/ui/leaving'

interface LeaveImportProps {
  /** Whether something would be lost. */
  isWatching: boolean
  isRunning: boolean
  /** Asked by the dialog's own ways out. */
  isAsked: boolean
  onLeave: () => void
  onStay: () => void
}

/** Asks before a file and its choices are forgotten, or an import's end is not seen. */
export function LeaveImport({ isWatching, isRunning, isAsked, onLeave, onStay }: LeaveImportProps) {
  const { t } = useTranslation('import')
  const leaving = useLeaving('file', (way) => isWatching && (!way || isOtherPage(way)))
  return (
    <LeaveQuestion
      isOpen={isAsked || leaving.isAsked}
      title={t('leave.title')}
      text={isRunning ? t('leave.running') : t('leave.text')}
      onLeave={leaving.isAsked ? leaving.leave : onLeave}
      onStay={() => {
        leaving.stay()
        onStay()
      }}
    />
  )
}
