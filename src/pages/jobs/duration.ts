import { formatNumber } from '@/i18n/format'
import { asLanguage } from '@/i18n/language'

/** Written as the lists write durations. */
const UNITS = {
  en: { millisecond: 'ms', second: 's', minute: 'min', hour: 'h' },
  tr: { millisecond: 'ms', second: 'sn', minute: 'dk', hour: 'sa' },
}

/** A length of time as people read it: `850 ms`, `12 s`, `3 min 5 s`, in the language's own units. */
export function formatDuration(ms: number, language: string): string {
  const units = UNITS[asLanguage(language)]
  const unit = (value: number, name: keyof typeof units, digits = 0) =>
    `${formatNumber(value, asLanguage(language), { maximumFractionDigits: digits })} ${units[name]}`
  if (ms < 1000) return unit(Math.round(ms), 'millisecond')
  const seconds = ms / 1000
  if (seconds < 60) return unit(seconds, 'second', seconds < 10 ? 1 : 0)
  const whole = Math.round(seconds)
  if (whole < 3600) return `${unit(Math.floor(whole / 60), 'minute')} ${unit(whole % 60, 'second')}`
  return `${unit(Math.floor(whole / 3600), 'hour')} ${unit(Math.floor((whole % 3600) / 60), 'minute')}`
}
