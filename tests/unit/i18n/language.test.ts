import { describe, expect, it } from 'vitest'
import { formatDateTime, formatLongDate, formatNumber, formatRelative } from '@/i18n/format'
import { detectLanguage, isLanguageTag } from '@/i18n/language'

describe('language detection', () => {
  it('looks in storage, then at the browser, then takes English', () => {
    expect(detectLanguage('tr', ['en-US'])).toBe('tr')
    expect(detectLanguage(null, ['de-DE', 'tr-TR', 'en'])).toBe('tr')
    expect(detectLanguage('de', ['fr'])).toBe('en')
    expect(detectLanguage(null, [])).toBe('en')
    expect(detectLanguage('en-GB', ['tr'])).toBe('en')
  })

  it.each([
    '<script>alert(1)</script>',
    'tr"><img src=x onerror=alert(1)>',
    'javascript:alert(1)',
    'en/../../secret',
    'tr;drop',
    'tr\n',
    ' tr',
    '',
    `en-${'a'.repeat(200)}`,
  ])('discards %j', (value) => {
    expect(isLanguageTag(value)).toBe(false)
    expect(detectLanguage(value, ['tr'])).toBe('tr')
  })
})

describe('formats', () => {
  const noon = '2027-03-12T12:00:00Z'

  it('write long dates day first in both languages', () => {
    expect(formatLongDate(noon, 'en')).toBe('12 Mar 2027')
    expect(formatLongDate(noon, 'tr')).toBe('12 Mart 2027')
  })

  it('write numbers and times as the language does', () => {
    expect(formatNumber(1234.5, 'en')).toBe('1,234.5')
    expect(formatNumber(1234.5, 'tr')).toBe('1.234,5')
    expect(formatDateTime(noon, 'tr')).toContain('Mar 2027')
  })

  it('say how long ago something was', () => {
    const now = Date.parse(noon)
    expect(formatRelative(now - 3 * 60_000, now, 'en')).toBe('3 minutes ago')
    expect(formatRelative(now - 20_000, now, 'en')).toBe('now')
    expect(formatRelative(now + 3 * 86_400_000, now, 'tr')).toBe('3 gün sonra')
  })
})
