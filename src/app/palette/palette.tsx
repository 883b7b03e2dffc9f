import { KBarPortal, KBarProvider, useKBar, VisualState } from 'kbar'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OverlayProps } from '@/app/palette/overlay'
import { PaletteDialog } from '@/app/palette/palette-dialog'
import { useSession } from '@/session/use-session'

/** The page scrolls in an element of ours, which the library does not know: there is nothing to lock. */
const OPTIONS = { disableDocumentLock: true, animations: { enterMs: 0, exitMs: 0 } }

/** The region that dialogs stand in. */
function popups(): HTMLElement | undefined {
  return document.getElementById('popups') ?? undefined
}

/** Mounted when it is asked for, and open as long as it is mounted. */
export function Palette({ onClose, onShowKeys }: OverlayProps) {
  const { user } = useSession()
  // Waited for out here: what is open would be hidden again, and lose the focus, while its words come.
  useTranslation(['palette', 'engine', 'errors'])
  const chosen = useRef<(() => void) | null>(null)
  // The library looks for it once its own input has the focus.
  const [before] = useState(() => document.activeElement)
  if (!user) return null
  const handleClosed = () => {
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    onClose()
    // After the focus went back: a page or dialog that takes it next keeps it.
    chosen.current?.()
  }
  return (
    <KBarProvider options={OPTIONS}>
      <Opening onClosed={handleClosed} />
      <KBarPortal container={popups()}>
        <PaletteDialog
          role={user.role}
          onShowKeys={onShowKeys}
          onChoose={(run) => {
            chosen.current = run
          }}
        />
      </KBarPortal>
    </KBarProvider>
  )
}

function Opening({ onClosed }: { onClosed: () => void }) {
  const { query, visualState } = useKBar((state) => ({ visualState: state.visualState }))
  const wasOpen = useRef(false)
  const latest = useRef(onClosed)
  useEffect(() => {
    latest.current = onClosed
  })
  useEffect(() => query.setVisualState(VisualState.animatingIn), [query])
  useEffect(() => {
    if (visualState !== VisualState.hidden) wasOpen.current = true
    else if (wasOpen.current) latest.current()
  }, [visualState])
  return null
}
