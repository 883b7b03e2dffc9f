import { describe, expect, it } from 'vitest'
import { asThemeChoice, resolveTheme, toggledTheme } from '@/ui/theme-store'
import { palettes } from '@/ui/tokens'

describe('the theme', () => {
  it('follows the system unless the reader chose', () => {
    expect(asThemeChoice(null)).toBe('system')
    expect(asThemeChoice('purple')).toBe('system')
    expect(resolveTheme('system', true)).toBe('dark')
    expect(resolveTheme('system', false)).toBe('light')
    expect(resolveTheme('light', true)).toBe('light')
  })

  it('toggles what is seen', () => {
    expect(toggledTheme('dark')).toBe('light')
    expect(toggledTheme('light')).toBe('dark')
  })
})

function luminance(hex: string): number {
  const channels = [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16) / 255)
  const [r = 0, g = 0, b = 0] = channels.map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

describe.each(Object.entries(palettes))('the %s palette', (_name, c) => {
  const surfaces = [c.surface, c.page, c.sunken, c.primarySoft]

  it('keeps text readable on every surface: 4.5 to 1', () => {
    for (const surface of surfaces) {
      for (const text of [c.text, c.textSoft, c.textFaint, c.placeholder, c.link, c.primaryHover, c.error]) {
        expect(contrast(text, surface), `${text} on ${surface}`).toBeGreaterThanOrEqual(4.5)
      }
    }
    for (const surface of [c.surface, c.disabledFill]) {
      expect(contrast(c.disabled, surface), `${c.disabled} on ${surface}`).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('keeps tags readable', () => {
    const tags: [string, string][] = [
      [c.success, c.successSoft],
      [c.warning, c.warningSoft],
      [c.error, c.errorSoft],
      [c.info, c.infoSoft],
    ]
    for (const [text, surface] of tags) expect(contrast(text, surface)).toBeGreaterThanOrEqual(4.5)
  })

  it('keeps solid buttons readable, under the pointer too', () => {
    for (const solid of [c.primary, c.primaryHover, c.primaryActive, c.error, c.errorHover, c.spotlight]) {
      expect(contrast(c.onSolid, solid), solid).toBeGreaterThanOrEqual(4.5)
    }
  })

  it('keeps the edges of fields and the focus ring visible: 3 to 1', () => {
    expect(contrast(c.lineStrong, c.surface)).toBeGreaterThanOrEqual(3)
    expect(contrast(c.focus, c.surface)).toBeGreaterThanOrEqual(3)
    expect(contrast(c.focus, c.page)).toBeGreaterThanOrEqual(3)
  })
})
