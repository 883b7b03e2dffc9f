import { useEffect } from 'react'
import { useBlocker } from 'react-router'
import { LeaveQuestion } from '@/resource/screens/form/leave-guard'

const tabOf = (search: string) => new URLSearchParams(search).get('tab')

/** Asks before a list is left whose changes are not saved: by a link, Back, a record's other tab, a closed window. */
export function QueueGuard() {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      currentLocation.pathname !== nextLocation.pathname ||
      tabOf(currentLocation.search) !== tabOf(nextLocation.search),
  )
  useEffect(() => {
    const handleUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', handleUnload)
    return () => window.removeEventListener('beforeunload', handleUnload)
  }, [])
  return (
    <LeaveQuestion
      open={blocker.state === 'blocked'}
      onLeave={() => blocker.proceed?.()}
      onStay={() => blocker.reset?.()}
    />
  )
}
