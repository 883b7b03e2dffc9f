import { describe, expect, it, vi } from 'vitest'
import { coalesce } from '@/refine/coalesce'

describe('coalescing refreshes', () => {
  it('acts at once, then at most once an interval, and never drops the last request', () => {
    vi.useFakeTimers()
    try {
      const action = vi.fn()
      const { request, stop } = coalesce(action, 1000)
      request()
      expect(action).toHaveBeenCalledTimes(1)
      for (let k = 0; k < 50; k += 1) request()
      expect(action).toHaveBeenCalledTimes(1)
      vi.advanceTimersByTime(1000)
      expect(action).toHaveBeenCalledTimes(2)
      vi.advanceTimersByTime(5000)
      expect(action).toHaveBeenCalledTimes(2)
      request()
      request()
      stop()
      vi.advanceTimersByTime(5000)
      expect(action).toHaveBeenCalledTimes(3)
    } finally {
      vi.useRealTimers()
    }
  })
})
