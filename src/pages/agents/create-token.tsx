import { type ReactNode, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { lazyPart } from '@/ui/load-chunk'
import { JoinWatch, type WatchedToken } from './join-watch'

const CreateTokenDialog = lazyPart(() =>
  import('./create-token-dialog').then((module) => ({ default: module.CreateTokenDialog })),
)

/**
 * The button that creates a token, placed by `children`, with the devices enrolled by that token above it.
 */
export function CreateToken({ children }: { children: (button: ReactNode) => ReactNode }) {
  const { t } = useTranslation('agents')
  const [isCreating, setIsCreating] = useState(false)
  const [watched, setWatched] = useState<WatchedToken | null>(null)
  return (
    <>
      {watched && !isCreating ? <JoinWatch token={watched} onClose={() => setWatched(null)} /> : null}
      {children(
        <GuardedButton
          resource="enrollment_tokens"
          action="create"
          type="primary"
          onClick={() => setIsCreating(true)}
        >
          {t('tokens.create')}
        </GuardedButton>,
      )}
      {isCreating ? (
        <Suspense fallback={null}>
          <CreateTokenDialog onCreated={setWatched} onClose={() => setIsCreating(false)} />
        </Suspense>
      ) : null}
    </>
  )
}
