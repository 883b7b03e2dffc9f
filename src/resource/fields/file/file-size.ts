import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'

const KILOBYTE = 1024
const MEGABYTE = 1024 * KILOBYTE

/**
 * Writes a number of bytes in the unit that fits. A size over a limit is rounded up to a tenth, so that it never reads like
 * the limit itself.
 */
export function useFileSize(): (bytes: number, isOverLimit?: boolean) => string {
  const language = useLanguage()
  return (bytes, isOverLimit = false) => {
    const unit = bytes < KILOBYTE ? 'byte' : bytes < MEGABYTE ? 'kilobyte' : 'megabyte'
    const exact = unit === 'byte' ? bytes : bytes / (unit === 'kilobyte' ? KILOBYTE : MEGABYTE)
    const value = isOverLimit ? Math.ceil(exact * 10) / 10 : exact
    return formatNumber(value, language, {
      style: 'unit',
      unit,
      // The short form of English has no plural: 70 byte.
      unitDisplay: unit === 'byte' ? 'long' : 'short',
      maximumFractionDigits: unit === 'byte' || (value >= 10 && !isOverLimit) ? 0 : 1,
    })
  }
}
