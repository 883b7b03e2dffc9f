import { UnsavedQuestion } from '@/resource/screens/form/unsaved-question'
import { isOtherPage, useLeaving } from '@/ui/leaving'

/**
 * Asks before leaving a form with changes. It checks for changes at that moment, so that a save just before
 * counts.
 */
export function UnsavedGuard({ isDirty }: { isDirty: () => boolean }) {
  const { isAsked, leave, stay } = useLeaving('changes', (way) => isDirty() && (!way || isOtherPage(way)))
  return <UnsavedQuestion isOpen={isAsked} onLeave={leave} onStay={stay} />
}
