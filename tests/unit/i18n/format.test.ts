import { describe, expect, it } from 'vitest'
import { formatDateTime, formatExitCode, formatNumber, formatRelative } from '@/i18n/format'

describe('formats that are kept', () => {
  it('are kept apart by language and by what is asked of them', () => {
    for (let round = 0; round < 2; round++) {
      expect(formatNumber(1234.5, 'en')).toBe('1,234.5')
      expect(formatNumber(1234.5, 'tr')).toBe('1.234,5')
      expect(formatNumber(1234.5, 'en', { useGrouping: false })).toBe('1234.5')
      expect(formatNumber(0.12, 'en', { style: 'percent' })).toBe('12%')
      expect(formatNumber(0.12, 'tr', { style: 'percent' })).toBe('%12')
      expect(formatRelative(0, 3 * 60_000, 'en')).toBe('3 minutes ago')
      expect(formatRelative(0, 3 * 60_000, 'tr')).toBe('3 dakika önce')
      expect(formatDateTime(new Date(2027, 2, 12, 14, 5), 'en')).toContain('Mar 2027')
      expect(formatDateTime(new Date(2027, 2, 12, 14, 5), 'tr')).toContain('Mar 2027')
      expect(formatDateTime(new Date(2027, 6, 12, 14, 5), 'tr')).toContain('Tem 2027')
    }
  })
})

it('tomorrow is the next day of the calendar', () => {
  const now = new Date(2026, 10, 25, 16, 48)
  const at = (day: number, hour: number, minute = 0) =>
    formatRelative(new Date(2026, 10, day, hour, minute), now.getTime(), 'en')
  expect(at(26, 16, 49)).toBe('tomorrow')
  expect(at(27, 5, 30)).toBe('in 2 days')
  expect(at(30, 5, 30)).toBe('in 5 days')
  expect(at(23, 23)).toBe('2 days ago')
  expect(at(26, 5)).toBe('in 12 hours')
})

describe('formatExitCode', () => {
  it.each([
    [0, '0'],
    [3010, '3010'],
    [-1, '-1'],
    [4_294_967_295, '-1'],
    [3_221_225_477, '0xC0000005'],
    [-1_073_741_819, '0xC0000005'],
    [2_147_942_402, '0x80070002'],
    [2_147_483_647, '2147483647'],
  ])('writes %d as %s', (code, text) => expect(formatExitCode(code)).toBe(text))
})
