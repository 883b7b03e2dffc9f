import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

const FORWARDED = /^(forwarded|via|x-forwarded.*|x-real-ip|x-client-ip|true-client-ip|cf-.*|fly-client-ip)$/

const bare = (address: string): string => address.replace(/^::ffff:/i, '').replace(/%.*$/, '')

export function isLoopback(address: string | undefined): boolean {
  const value = bare(address ?? '')
  return value === '::1' || /^127\.\d+\.\d+\.\d+$/.test(value)
}

export function isLoopbackName(host: string | undefined): boolean {
  const name = (host ?? '').toLowerCase().replace(/:\d+$/, '')
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '[::1]' ||
    isLoopback(name.replace(/[[\]]/g, ''))
  )
}

/** For a console that was not told of its proxies. We serve plain HTTP ourselves: an address with HTTPS tells of one. */
export function proxyWarning(siteUrl: string): string | null {
  const { protocol, hostname } = new URL(siteUrl)
  if (protocol !== 'https:' && isLoopbackName(hostname)) return null
  return (
    `SITE_URL is ${siteUrl}, so a proxy is probably in front, but TRUSTED_PROXIES is not set: rate limits then ` +
    'count all visitors as one. Set it to the number of your proxies, or to 0 when there is none: docs/deploy.md.'
  )
}

/**
 * Whether the request comes directly from this machine. A local proxy connects from loopback too, and a
 * foreign page can make a local browser send a request under another host name.
 */
export function isLocal(request: IncomingMessage): boolean {
  return (
    isLoopback(request.socket.remoteAddress) &&
    !Object.keys(request.headers).some((name) => FORWARDED.test(name)) &&
    isLoopbackName(request.headers.host)
  )
}

/** Whether a proxy says for whom it asks. */
export const isForwarded = ({ headers }: IncomingMessage): boolean =>
  headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined

/**
 * Each of the `trusted` proxies appends one address. The one before them is the client's; earlier ones are
 * unverified.
 */
export function clientAddress(request: IncomingMessage, trusted: number): string {
  const own = bare(request.socket.remoteAddress ?? '')
  if (trusted < 1) return own
  const header = request.headers['x-forwarded-for']
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map((hop) => bare(hop.trim()))
  const hop = hops.at(-trusted) ?? ''
  return isIP(hop) ? hop : own
}

/** The key that rate limits count by: one IPv6 customer owns a whole /64. */
export function limitKey(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail = ''] = address.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail.split(':').filter(Boolean)
  const middle = address.includes('::')
    ? Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
    : []
  return `${[...left, ...middle, ...right].slice(0, 4).join(':')}::/64`
}
