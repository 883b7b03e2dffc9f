import { type ReactNode, Suspense } from 'react'
import type { Action } from '@/resource/language/definition.generated'
import { lazyPart } from '@/ui/load-chunk'

const NamedIcon = lazyPart(() =>
  import('@/resource/named-icons').then((module) => ({ default: module.NamedIcon })),
)

/** The icon of an action for a menu entry or a button; its room is there before it is loaded. */
export function actionIcon({ icon }: Action): ReactNode {
  if (!icon) return undefined
  return (
    // A menu sets its class, which spaces icon and label, on the element it is given.
    <span>
      <Suspense fallback={<span className="anticon" style={{ width: '1em' }} aria-hidden="true" />}>
        <NamedIcon name={icon} />
      </Suspense>
    </span>
  )
}
