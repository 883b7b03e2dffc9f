import { describe, expect, it } from 'vitest'
import { parseDuration } from '@/resource/fields/number/typed-duration'

describe('a typed span of time', () => {
  it.each([
    ['45', 2700],
    ['45 min', 2700],
    ['45dk', 2700],
    ['1:30', 5400],
    ['0:05', 300],
    ['1h 30m', 5400],
    ['1.5 h', 5400],
    ['1,5 sa', 5400],
    ['2 saat 15 dakika', 8100],
    [' 30 MIN ', 1800],
    ['2 gün', 172_800],
    ['1 d 2 h 3 min 4 s', 93_784],
  ])('%s is %i seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds)
  })

  it('counts a number alone in the unit of its column', () => {
    expect(parseDuration('45', 's')).toBe(45)
    expect(parseDuration('45 dk', 's')).toBe(2700)
  })

  it.each(['', 'soon', '1:75', '1:2:3', '30 parsecs', '-5', '1h x'])('%s is no span of time', (text) => {
    expect(parseDuration(text)).toBeNull()
  })
})
