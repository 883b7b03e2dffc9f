import { UnsavedQuestion } from '@/resource/screens/form/unsaved-question'
import { isOtherPage, type Navigation, useLeaving } from '@/ui/leaving'

const tabOf = (search: string) => new URLSearchParams(search).get('tab')

/** A record's other tab takes a list that stands under it away too; another page of the list does not. */
function isOtherTab({ currentLocation, nextLocation }: Navigation): boolean {
  return tabOf(currentLocation.search) !== tabOf(nextLocation.search)
}

/** Asks before a list is left whose changes are not saved. */
export function QueueGuard() {
  const { isAsked, leave, stay } = useLeaving('changes', (way) => !way || isOtherPage(way) || isOtherTab(way))
  return <UnsavedQuestion isOpen={isAsked} onLeave={leave} onStay={stay} />
}
