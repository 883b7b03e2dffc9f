import { formatNumber } from '@/i18n/format'
import type { Language } from '@/i18n/language'

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const

/** In powers of 1024, as operating systems and this product's columns (`memory_mb`) count. */
export function formatBytes(amount: number, unit: 'B' | 'kB' | 'MB' | 'GB', language: Language): string {
  let index = UNITS.indexOf(unit)
  let value = amount
  while (Math.abs(value) >= 1024 && index < UNITS.length - 1) {
    value /= 1024
    index++
  }
  while (value !== 0 && Math.abs(value) < 1 && index > 0) {
    value *= 1024
    index--
  }
  return `${formatNumber(value, language, { maximumFractionDigits: value < 10 ? 1 : 0 })} ${UNITS[index]}`
}
