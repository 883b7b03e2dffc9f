import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'

const KILOBYTE = 1024
const MEGABYTE = 1024 * KILOBYTE

/** Writes a number of bytes in the unit that fits. */
export function useFileSize(): (bytes: number) => string {
  const language = useLanguage()
  return (bytes) => {
    const unit = bytes < KILOBYTE ? 'byte' : bytes < MEGABYTE ? 'kilobyte' : 'megabyte'
    const value = unit === 'byte' ? bytes : bytes / (unit === 'kilobyte' ? KILOBYTE : MEGABYTE)
    return formatNumber(value, language, {
      style: 'unit',
      unit,
      // The short form of English has no plural: 70 byte.
      unitDisplay: unit === 'byte' ? 'long' : 'short',
      maximumFractionDigits: unit === 'byte' || value >= 10 ? 0 : 1,
    })
  }
}
