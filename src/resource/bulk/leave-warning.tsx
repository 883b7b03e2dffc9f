import { useTranslation } from 'react-i18next'
import { LeaveQuestion } from '@/ui/leave-question'
import { isOtherPage, useLeaving } from '@/ui/leaving'

/** Asks before a page is left on which a job is running. */
export function LeaveWarning({ isRunning, text }: { isRunning: boolean; text?: string }) {
  const { t } = useTranslation('bulk')
  const { isAsked, leave, stay } = useLeaving('job', (way) => {
    if (!isRunning || !way) return isRunning
    // Another filter of the same list, by Back, takes the job along too; what the page rewrites by itself does not.
    const isOtherList =
      way.historyAction !== 'REPLACE' && way.currentLocation.search !== way.nextLocation.search
    return isOtherPage(way) || isOtherList
  })
  return (
    <LeaveQuestion
      isOpen={isAsked}
      title={t('leaveTitle')}
      text={text ?? t('leaveText')}
      onLeave={leave}
      onStay={stay}
    />
  )
}
