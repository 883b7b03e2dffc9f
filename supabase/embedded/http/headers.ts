import { createHash } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import type { Env } from './context'

/** Small scripts inside the page are allowed by their hash, never by `unsafe-inline`. */
export function inlineScriptHashes(html: string): string[] {
  return [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/gi)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  )
}

/**
 * The console makes no code from text, loads nothing from elsewhere and is framed by nobody. Styles are the
 * exception: antd writes them into the page as components appear.
 */
export function contentSecurityPolicy(scripts: readonly string[] = []): string {
  return [
    `default-src 'self'`,
    ['script-src', `'self'`, ...scripts].join(' '),
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data: blob:`,
    `font-src 'self' data:`,
    `connect-src 'self'`,
    `worker-src 'self' blob:`,
    `object-src 'none'`,
    `base-uri 'self'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; ')
}

export function securityHeaders(https: () => boolean): MiddlewareHandler<Env> {
  return async (c, next) => {
    await next()
    const { headers } = c.res
    headers.set('x-content-type-options', 'nosniff')
    headers.set('x-frame-options', 'DENY')
    headers.set('cross-origin-opener-policy', 'same-origin')
    headers.set('permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()')
    // Reset links carry a token: no other site may learn the address of our pages.
    headers.set('referrer-policy', 'same-origin')
    if (!headers.has('content-security-policy'))
      headers.set('content-security-policy', contentSecurityPolicy())
    if (https()) headers.set('strict-transport-security', 'max-age=31536000')
  }
}
