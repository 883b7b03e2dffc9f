/** A length of time as people read it: `850 ms`, `12 s`, `3 min 5 s`, in the language's own units. */
export function formatDuration(ms: number, language: string): string {
  const unit = (value: number, name: 'millisecond' | 'second' | 'minute' | 'hour', digits = 0) =>
    new Intl.NumberFormat(language, {
      style: 'unit',
      unit: name,
      unitDisplay: 'short',
      maximumFractionDigits: digits,
    }).format(value)
  if (ms < 1000) return unit(Math.round(ms), 'millisecond')
  const seconds = ms / 1000
  if (seconds < 60) return unit(seconds, 'second', seconds < 10 ? 1 : 0)
  const whole = Math.round(seconds)
  if (whole < 3600) return `${unit(Math.floor(whole / 60), 'minute')} ${unit(whole % 60, 'second')}`
  return `${unit(Math.floor(whole / 3600), 'hour')} ${unit(Math.floor((whole % 3600) / 60), 'minute')}`
}
