export type Probe = 'ping' | 'tcp' | 'http'

const PORT = '([1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])'
const HOST = '[A-Za-z0-9_][A-Za-z0-9._-]*'
/** As `app.check_monitor_target()` has them. */
const PATTERNS: Record<Probe, RegExp> = {
  ping: new RegExp(`^(${HOST}|[0-9A-Fa-f]{1,4}:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*(%[A-Za-z0-9]+)?)$`),
  tcp: new RegExp(`^(\\[[0-9A-Fa-f][0-9A-Fa-f:.]*\\]|${HOST}):${PORT}$`),
  http: /^https?:\/\/[^\s/?#]+/i,
}

export const isTarget = (probe: Probe, target: string): boolean => PATTERNS[probe].test(target)
