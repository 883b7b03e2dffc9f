import { describe, expect, it } from 'vitest'
import { tipDelay } from '@/ui/tip'

describe('tips', () => {
  it('wait 700 ms, and not at all within 300 ms of another', () => {
    expect(tipDelay(1000, Number.NEGATIVE_INFINITY)).toBe(700)
    expect(tipDelay(1000, 701)).toBe(0)
    expect(tipDelay(1000, 700)).toBe(700)
  })
})
