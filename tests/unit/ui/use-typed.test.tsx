// @vitest-environment happy-dom
import { act, renderHook } from '@testing-library/react'
import { beforeEach, expect, it, vi } from 'vitest'
import { useTyped } from '@/ui/use-typed'

beforeEach(() => {
  vi.useFakeTimers()
  window.history.pushState({}, '', '/articles')
  return () => {
    vi.useRealTimers()
    window.history.pushState({}, '', '/')
  }
})

function opened() {
  const onSend = vi.fn()
  const { result } = renderHook(() => useTyped('', 300, onSend))
  return { onSend, type: (text: string) => act(() => result.current.type(text)) }
}

it('sends what was typed once typing pauses', () => {
  const { onSend, type } = opened()
  type('key')
  type('keyb')
  vi.advanceTimersByTime(299)
  expect(onSend).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onSend.mock.calls).toEqual([['keyb']])
})

it('sends nothing once a link was followed, whose page may still load', () => {
  const { onSend, type } = opened()
  type('key')
  window.history.pushState({}, '', '/articles/1')
  vi.advanceTimersByTime(1000)
  expect(onSend).not.toHaveBeenCalled()
})
