import { KBarPortal, KBarProvider, useKBar, useRegisterActions, VisualState } from '@refinedev/kbar'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toAction } from '@/app/palette/commands'
import { PaletteDialog } from '@/app/palette/palette-dialog'
import type { OverlayProps } from '@/app/palette/palette-launcher'
import { useCommands } from '@/app/palette/use-commands'

/**
 * The page scrolls inside our own element, which the library does not know, so there is no scrolling to lock.
 * Refine's own provider drops these options.
 */
const OPTIONS = { disableDocumentLock: true, animations: { enterMs: 0, exitMs: 0 } }

/** The container of dialogs. */
function popups(): HTMLElement | undefined {
  return document.getElementById('popups') ?? undefined
}

/** Mounted when opened, unmounted when closed. */
export function Palette({ onClose, onShowKeys, takeTyped }: OverlayProps) {
  // Loaded outside: inside, loading the texts would hide the open palette again and lose the focus.
  useTranslation(['palette', 'engine', 'errors'])
  const chosen = useRef<(() => void) | null>(null)
  // The library looks for it once its own input has the focus.
  const [before] = useState(() => document.activeElement)
  const handleClosed = () => {
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    onClose()
    // After the focus was restored, so that a page or dialog that takes it next keeps it.
    chosen.current?.()
  }
  return (
    <KBarProvider options={OPTIONS}>
      <Commands onShowKeys={onShowKeys} />
      <Opening onClosed={handleClosed} />
      <KBarPortal container={popups()}>
        <PaletteDialog
          takeTyped={takeTyped}
          onChoose={(run) => {
            chosen.current = run
          }}
        />
      </KBarPortal>
    </KBarProvider>
  )
}

/** Registers the commands, and again when the language, the permissions or the record in view change. */
function Commands({ onShowKeys }: Pick<OverlayProps, 'onShowKeys'>) {
  const commands = useCommands(onShowKeys)
  useRegisterActions(commands.map(toAction), [commands])
  return null
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
    const isOpen = visualState === VisualState.animatingIn || visualState === VisualState.showing
    // The palette is closed at once, without an animation, so that the key that opens it works again.
    if (isOpen) wasOpen.current = true
    else if (wasOpen.current) latest.current()
  }, [visualState])
  return null
}
