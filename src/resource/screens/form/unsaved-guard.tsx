import { UnsavedQuestion } from '@/resource/screens/form/unsaved-question'
import { isOtherPage, useLeaving } from '@/ui/leaving'

/** Asks before a form is left that was filled in; whether it was is asked then, so that a save just before is known. */
export function UnsavedGuard({ isDirty }: { isDirty: () => boolean }) {
  const { isAsked, leave, stay } = useLeaving('changes', (way) => isDirty() && (!way || isOtherPage(way)))
  return <UnsavedQuestion isOpen={isAsked} onLeave={leave} onStay={stay} />
}
