import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '@/ui/icons'
import { PlainButton } from '@/ui/plain-button'
import '@/ui/toast.css'

export interface Toast {
  type: 'success' | 'info' | 'warning' | 'error'
  title: string
  description?: string
}

/** A toast stays until it is closed, replaced, or this many milliseconds old. */
export const TOAST_REMOVE_DELAY = 1_000_000

type Notify = (toast: Toast) => void

const NotifyContext = createContext<Notify | null>(null)

/** Shows a toast; the one before it, if it still stands, gives way. */
export function useNotify(): Notify {
  const notify = useContext(NotifyContext)
  if (!notify) throw new Error('useNotify needs NotifyProvider above it')
  return notify
}

export function NotifyProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<{ id: number; toast: Toast } | null>(null)
  const notify = useCallback<Notify>(
    (toast) => setShown((before) => ({ id: (before?.id ?? 0) + 1, toast })),
    [],
  )

  useEffect(() => {
    if (!shown) return
    const timer = window.setTimeout(() => setShown(null), TOAST_REMOVE_DELAY)
    return () => window.clearTimeout(timer)
  }, [shown])

  return (
    <NotifyContext.Provider value={notify}>
      {children}
      <ToastStrip shown={shown} onClose={() => setShown(null)} />
    </NotifyContext.Provider>
  )
}

interface ToastStripProps {
  shown: { id: number; toast: Toast } | null
  onClose: () => void
}

function ToastStrip({ shown, onClose }: ToastStripProps) {
  const { t } = useTranslation('common')
  const strip = useRef<HTMLDivElement>(null)

  // The page gives up exactly the height the strip takes, also when its words wrap differently.
  useLayoutEffect(() => {
    const element = strip.current
    if (!element) return
    const publish = () =>
      document.documentElement.style.setProperty('--k-toast-height', `${element.offsetHeight}px`)
    publish()
    const observer = new ResizeObserver(publish)
    observer.observe(element)
    return () => {
      observer.disconnect()
      document.documentElement.style.removeProperty('--k-toast-height')
    }
  }, [])

  return (
    // The live region stands from the start: screen readers miss regions that appear with their words.
    <section ref={strip} className="k-toast-strip" aria-label={t('toast')}>
      {shown ? (
        <div
          key={shown.id}
          className="k-toast"
          data-type={shown.toast.type}
          role={shown.toast.type === 'error' ? 'alert' : 'status'}
        >
          <span className="k-toast-icon">
            <Icon name={shown.toast.type} />
          </span>
          <span className="k-toast-words">
            <span className="k-toast-title">{shown.toast.title}</span>
            {shown.toast.description ? <span className="k-toast-text">{shown.toast.description}</span> : null}
          </span>
          <PlainButton kind="text" size="small" isIcon aria-label={t('closeToast')} onClick={onClose}>
            <Icon name="close" />
          </PlainButton>
        </div>
      ) : null}
    </section>
  )
}
