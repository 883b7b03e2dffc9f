// @vitest-environment happy-dom
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import i18next from 'i18next'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { TOAST_DISMISS_DELAY, TOAST_REMOVE_DELAY, type Toast, ToastProvider, useToast } from '@/ui/toast'

function Sender({ toasts }: { toasts: readonly Toast[] }) {
  const { show } = useToast()
  return toasts.map((toast) => (
    <button key={toast.title} type="button" onClick={() => show(toast)}>
      Send {toast.title}
    </button>
  ))
}

const SAVED: Toast = { type: 'success', title: 'Saved' }
const COPIED: Toast = { type: 'info', title: 'Copied' }
const FAILED: Toast = { type: 'error', title: 'Failed', description: 'The name is in use.' }
const PARTLY: Toast = { type: 'warning', title: 'Partly saved' }

const send = ({ title }: Toast) => fireEvent.click(screen.getByText(`Send ${title}`))
const toast = ({ title }: Toast) => screen.queryByText(title)?.closest('.k-toast') ?? null
const isVisible = (sent: Toast) => toast(sent)?.hasAttribute('hidden') === false
const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms))

beforeEach(async () => {
  // Words are their keys here.
  await i18next.changeLanguage('cimode')
  vi.useFakeTimers()
  render(
    <ToastProvider>
      <Sender toasts={[SAVED, COPIED, FAILED, PARTLY]} />
    </ToastProvider>,
  )
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

describe('a toast', () => {
  it.each([SAVED, COPIED])('of type $type disappears after five seconds', (each) => {
    send(each)
    pass(TOAST_DISMISS_DELAY - 1)
    expect(isVisible(each)).toBe(true)
    pass(1)
    expect(isVisible(each)).toBe(false)
  })

  it.each([FAILED, PARTLY])('of type $type stays until it is closed', (each) => {
    send(each)
    pass(TOAST_REMOVE_DELAY * 2)
    expect(isVisible(each)).toBe(true)
    fireEvent.click(screen.getByLabelText('closeToast'))
    expect(isVisible(each)).toBe(false)
  })

  it('stays while the pointer is on it or the focus in it', () => {
    send(SAVED)
    const node = toast(SAVED) as Element
    fireEvent.pointerEnter(node)
    pass(TOAST_DISMISS_DELAY * 2)
    expect(isVisible(SAVED)).toBe(true)
    fireEvent.focus(screen.getByLabelText('closeToast'))
    fireEvent.pointerLeave(node)
    pass(TOAST_DISMISS_DELAY * 2)
    expect(isVisible(SAVED)).toBe(true)
    fireEvent.blur(screen.getByLabelText('closeToast'))
    pass(TOAST_DISMISS_DELAY)
    expect(isVisible(SAVED)).toBe(false)
  })

  it('replaces the one before, which no longer counts down', () => {
    send(SAVED)
    pass(TOAST_DISMISS_DELAY - 1)
    send(COPIED)
    expect(toast(SAVED)).toBeNull()
    pass(TOAST_DISMISS_DELAY - 1)
    expect(isVisible(COPIED)).toBe(true)
  })

  it('leaves the document 1,000,000 ms after its dismissal', () => {
    send(SAVED)
    pass(TOAST_DISMISS_DELAY)
    pass(TOAST_REMOVE_DELAY - 1)
    expect(toast(SAVED)).not.toBeNull()
    pass(1)
    expect(toast(SAVED)).toBeNull()
    expect(TOAST_REMOVE_DELAY).toBe(1_000_000)
  })

  it('interrupts a screen reader for an error only', () => {
    send(FAILED)
    expect(toast(FAILED)?.getAttribute('role')).toBe('alert')
    send(PARTLY)
    expect(toast(PARTLY)?.getAttribute('role')).toBe('status')
  })
})
