import { cpus, hostname, networkInterfaces, totalmem } from 'node:os'
import { cleanText } from '../clean-text'
import type { NetworkInterface } from './inventory'

/** The console refuses a machine without a name, so that one whose name is empty gets one. */
export const hostName = (): string => cleanText(hostname()) || 'unnamed'

/** The hardware facts that Node alone can read on every system. */
export function hardwareFacts(): { cpu: string | null; cpu_cores: number; memory_mb: number } {
  const all = cpus()
  return {
    cpu: meaningful(all[0]?.model),
    cpu_cores: all.length,
    memory_mb: Math.round(totalmem() / 1024 / 1024),
  }
}

export function networkFacts(): NetworkInterface[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses]) => {
    // A container brings an adapter that comes and goes with it.
    if (name.startsWith('veth')) return []
    const outward = (addresses ?? []).filter((address) => !address.internal)
    const [first] = outward
    return first ? [{ name, mac: first.mac, addresses: outward.map((a) => a.address).sort() }] : []
  })
}

/** An address that a machine gives itself where no network gives it one. */
const isLinkLocal = (address: string): boolean => /^(169\.254\.|fe[89ab])/i.test(address)

/**
 * The first IPv4 address of the interface with the default route, else of any interface, else an IPv6 address.
 * Link-local ones come last; those of IPv6 say nothing, because every interface has one.
 */
export function mainAddress(network: readonly NetworkInterface[], outward: string | null): string | null {
  const ordered = [...network].sort((a, b) => Number(b.name === outward) - Number(a.name === outward))
  const all = ordered.flatMap((entry) => entry.addresses)
  const routed = all.filter((address) => !isLinkLocal(address))
  const isIpv4 = (address: string) => address.includes('.')
  return routed.find(isIpv4) ?? routed[0] ?? all.find(isIpv4) ?? null
}

// Makers leave these texts in the firmware when they fill in nothing. `app.hardware_text` in SQL has the same list.
const EMPTY_WORDS =
  /^(to be filled( by o\.?e\.?m\.?.*)?|default( string)?|not (specified|applicable|available|set|settable|present|defined)|(system|chassis|base ?board|board|product) (manufacturer|product ?name|name|serial( number)?|version|model)|\(?(none|null|empty|invalid|undefined|unknown)\)?|n\/?a|tbd|o\.?e\.?m\.?|serial( number)?|s\/?n|0?123456789?0?|[0-]+|f{4,}|x+|\.+|\*+)$/i

export function meaningful(text: string | null | undefined): string | null {
  const trimmed = cleanText(text ?? '').replace(/\s+/g, ' ')
  return trimmed && !EMPTY_WORDS.test(trimmed) ? trimmed : null
}

/** ISO 8601 in UTC without fractions, so that the same moment always reads the same. */
export const isoSeconds = (ms: number): string | null =>
  Number.isFinite(ms) && ms > 0
    ? `${new Date(Math.round(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`
    : null

/** YYYY-MM-DD of a local day, or null. */
export const isoDay = (date: Date): string | null => {
  if (Number.isNaN(date.getTime())) return null
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

export const megabytes = (bytes: number): number => Math.round(bytes / 1024 / 1024)

/** The names of graphics adapters as one text, each once. */
export const adapterNames = (names: readonly (string | null | undefined)[]): string | null =>
  [...new Set(names.map(meaningful).filter((name) => name !== null))].join(', ') || null
