import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '@/ui/icons'
import { PlainButton } from '@/ui/plain-button'
import '@/ui/toast.css'

export interface Toast {
  /** With it the toast can be dismissed. */
  key?: string | undefined
  type: 'success' | 'info' | 'warning' | 'error'
  title: string
  /** A text, or a button that takes back what the toast tells. */
  description?: ReactNode
}

/** Milliseconds after which a success or info toast is dismissed; errors and warnings stay until closed. */
export const TOAST_DISMISS_DELAY = 5_000
/** Milliseconds from the dismissal of a toast until its hidden node is removed. */
export const TOAST_REMOVE_DELAY = 1_000_000

interface ToastActions {
  /** Shows a toast; it replaces the one before. */
  show: (toast: Toast) => void
  /** Dismisses the toast of this key, if it is shown. */
  dismiss: (key: string) => void
}

const ToastContext = createContext<ToastActions | null>(null)

/** For Refine's notification provider and for toasts with a button; other screens call `useNotification` of `@refinedev/core`. */
export function useToast(): ToastActions {
  const actions = useContext(ToastContext)
  if (!actions) throw new Error('useToast needs ToastProvider above it')
  return actions
}

interface ShownToast extends Toast {
  id: number
  isOpen: boolean
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const { t } = useTranslation('common')
  const [shown, setShown] = useState<ShownToast | null>(null)
  const dismiss = useCallback(() => setShown((before) => before && { ...before, isOpen: false }), [])
  const actions = useMemo<ToastActions>(
    () => ({
      show: (toast) => setShown((before) => ({ ...toast, id: (before?.id ?? 0) + 1, isOpen: true })),
      dismiss: (key) => setShown((before) => (before?.key === key ? { ...before, isOpen: false } : before)),
    }),
    [],
  )

  const isDismissed = shown !== null && !shown.isOpen
  useEffect(() => {
    if (!isDismissed) return
    const timer = window.setTimeout(() => setShown(null), TOAST_REMOVE_DELAY)
    return () => window.clearTimeout(timer)
  }, [isDismissed])

  return (
    <ToastContext.Provider value={actions}>
      {children}
      {/* The region is there from the start: screen readers miss a live region that is added with its text. */}
      <section className="k-toasts" aria-label={t('toast')}>
        {shown ? <ToastView key={shown.id} toast={shown} onDismiss={dismiss} /> : null}
      </section>
    </ToastContext.Provider>
  )
}

function ToastView({ toast, onDismiss }: { toast: ShownToast; onDismiss: () => void }) {
  const { t } = useTranslation('common')
  const [isHovered, setHovered] = useState(false)
  const [isFocused, setFocused] = useState(false)
  const { type, title, description, isOpen } = toast
  const isTimed = isOpen && (type === 'success' || type === 'info') && !isHovered && !isFocused
  useEffect(() => {
    if (!isTimed) return
    const timer = window.setTimeout(onDismiss, TOAST_DISMISS_DELAY)
    return () => window.clearTimeout(timer)
  }, [isTimed, onDismiss])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the handlers only pause the timer
    <div
      className="k-toast"
      data-type={type}
      role={type === 'error' ? 'alert' : 'status'}
      hidden={!isOpen}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <span className="k-toast-icon">
        <Icon name={type} />
      </span>
      <span className="k-toast-words">
        <span className="k-toast-title">{title}</span>
        {description ? <span className="k-toast-text">{description}</span> : null}
      </span>
      <PlainButton kind="text" size="small" isIcon aria-label={t('closeToast')} onClick={onDismiss}>
        <Icon name="close" />
      </PlainButton>
    </div>
  )
}
