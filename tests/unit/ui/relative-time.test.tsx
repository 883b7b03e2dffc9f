// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { RelativeTime } from '@/ui/relative-time'
import { render } from '../../support/render'

afterEach(() => {
  vi.useRealTimers()
  cleanup()
})

it('a moment that has just passed reads "now" for a minute, and not for longer', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: Date.parse('2026-11-26T12:00:20Z') })
  await render(<RelativeTime value="2026-11-26T12:00:00Z" />)
  expect(screen.getByText('now')).toBeTruthy()
  act(() => void vi.advanceTimersByTime(30_000))
  expect(screen.getByText('now')).toBeTruthy()
  act(() => void vi.advanceTimersByTime(15_000))
  expect(screen.getByText('1 minute ago')).toBeTruthy()
  act(() => void vi.advanceTimersByTime(60_000))
  expect(screen.getByText('2 minutes ago')).toBeTruthy()
})
