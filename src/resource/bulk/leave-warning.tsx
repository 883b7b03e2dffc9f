import { useTranslation } from 'react-i18next'
import { LeaveQuestion } from '@/ui/leave-question'
import { isOtherPage, useLeaving } from '@/ui/leaving'

/** Asks before a page is left on which a job is running. */
export function LeaveWarning({ isRunning, text }: { isRunning: boolean; text?: string }) {
  const { t } = useTranslation('bulk')
  const { isAsked, leave, stay } = useLeaving('job', (way) => {
    if (!isRunning || !way) return isRunning
    // Going back to another filter of the same list also leaves the job. Addresses that the page rewrites do
    // not.
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
