import SearchOutlined from '@ant-design/icons/es/icons/SearchOutlined'
import { useNotification } from '@refinedev/core'
import { type ComponentType, Suspense, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useCan } from '@/access/use-can'
import { isCharacter, isControl, isPaletteKey, type Key, pressedKey } from '@/app/keyboard/pressed-key'
import { isUnderOverlay } from '@/ui/plain-key'
import { Tip } from '@/ui/tip'

/** The shell hands these to the dialogs that a key opens. */
export interface OverlayProps {
  onClose: () => void
  onShowKeys: () => void
  /** Returns the text typed since the palette's key; called once the palette's input has the focus. */
  takeTyped: () => string
}

const OVERLAYS = {
  palette: async () => (await import('@/app/palette/palette')).Palette,
  keys: async () => (await import('@/app/keyboard/keys-dialog')).KeysDialog,
}

/**
 * The top bar's button, and the one listener for the console's keys. Its code is loaded on the first key
 * press, so that the first list only pays for the listener.
 */
export function PaletteLauncher() {
  const { t } = useTranslation('shell')
  const can = useCan()
  const { pathname, search } = useLocation()
  const navigate = useNavigate()
  const { open } = useNotification()
  const [Overlay, setOverlay] = useState<ComponentType<OverlayProps> | null>(null)

  const failed = (error: unknown) => {
    console.error(error)
    open?.({ type: 'error', message: t('palette.failed') })
  }
  // Typed between the key and the palette's input; null while it does not open.
  const typed = useRef<string | null>(null)
  const takeTyped = () => {
    const text = typed.current ?? ''
    typed.current = null
    return text
  }
  const show = (name: keyof typeof OVERLAYS) => {
    typed.current = name === 'palette' ? '' : null
    OVERLAYS[name]().then(
      (component) => setOverlay(() => component),
      (error: unknown) => {
        takeTyped()
        failed(error)
      },
    )
  }
  const press = (key: Key) => {
    const context = {
      pathname,
      from: `${pathname}${search}`,
      allows: (resource: string, action: string) => can(resource, action).allowed,
      go: (path: string, state: unknown) => void navigate(path, { state }),
      showPalette: () => show('palette'),
      showKeys: () => show('keys'),
    }
    import('@/app/keyboard/run-key').then(({ runKey }) => runKey(key, context), failed)
  }
  const handleKey = (event: KeyboardEvent) => {
    if (typed.current !== null && isCharacter(event)) {
      event.preventDefault()
      typed.current += event.key
      return
    }
    // Open dialogs close by their own keys, and the palette by the key that opened it.
    if (Overlay !== null || isUnderOverlay()) return
    if (isPaletteKey(event)) {
      event.preventDefault()
      show('palette')
      return
    }
    const key = isControl(event.target) ? null : pressedKey(event)
    if (!key) return
    event.preventDefault()
    press(key)
  }
  // In a layout effect, so that it listens as soon as the page is visible.
  const latest = useRef(handleKey)
  useLayoutEffect(() => {
    latest.current = handleKey
  })
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => latest.current(event)
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])

  const label = t('palette.open')
  return (
    <>
      <Tip title={label}>
        <button
          type="button"
          className="top-button"
          aria-label={label}
          aria-haspopup="dialog"
          onClick={() => show('palette')}
        >
          <SearchOutlined aria-hidden="true" />
        </button>
      </Tip>
      {Overlay ? (
        <Suspense fallback={null}>
          <Overlay onClose={() => setOverlay(null)} onShowKeys={() => show('keys')} takeTyped={takeTyped} />
        </Suspense>
      ) : null}
    </>
  )
}
